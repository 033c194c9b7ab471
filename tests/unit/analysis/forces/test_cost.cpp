// SPDX-License-Identifier: GPL-3.0-or-later
// The price per performance of Hamada et al. (2009) from their counts, time and price.
#include <gtest/gtest.h>

#include "analysis/forces/cost.hpp"

namespace multiwalk {
namespace {

TEST(Cost, ReproducesHamadaEtAl2009) {
  Prices prices;
  prices.machine = 168172;
  const CostFigures figures = cost_figures(2.583082e15, 1.09e15, 4894, prices, std::nullopt);
  EXPECT_NEAR(figures.tflops_raw, 20.06, 0.005);
  EXPECT_NEAR(figures.tflops_effective, 8.46, 0.005);
  ASSERT_TRUE(figures.per_gflops_effective);
  EXPECT_NEAR(*figures.per_gflops_effective, 19.8, 0.1);
  EXPECT_NEAR(*figures.per_gflops_raw, 8.38, 0.01);
  EXPECT_FALSE(figures.joules_per_effective_pair);
  EXPECT_FALSE(figures.run_cost);
}

TEST(Cost, AddsTheParts) {
  const Prices prices{1000.0, 30.0, 7.0, 3.0, 4};
  const CostFigures figures = cost_figures(4e12, 2e12, 1800, prices, 5e3);
  EXPECT_DOUBLE_EQ(*figures.price, 1127.0);
  EXPECT_DOUBLE_EQ(*figures.run_cost, 1.5);
  EXPECT_DOUBLE_EQ(*figures.joules_per_effective_pair, 2.5e-9);
}

TEST(Cost, NothingWithoutPricesTimeOrWork) {
  EXPECT_FALSE(cost_figures(1e9, 1e9, 1, {}, std::nullopt).price);
  EXPECT_FALSE(cost_figures(1e9, 1e9, 1, {}, std::nullopt).per_gflops_effective);
  Prices prices;
  prices.machine = 1;
  const CostFigures idle = cost_figures(0, 0, 0, prices, 1.0);
  EXPECT_EQ(idle.tflops_raw, 0);
  EXPECT_FALSE(idle.per_gflops_raw);
  EXPECT_FALSE(idle.joules_per_effective_pair);
}

}  // namespace
}  // namespace multiwalk
