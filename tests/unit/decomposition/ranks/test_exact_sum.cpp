// SPDX-License-Identifier: GPL-3.0-or-later
// Sums that do not depend on order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "decomposition/ranks/exact_sum.hpp"

namespace multiwalk {
namespace {

TEST(ExactSum, KeepsWhatRoundingLoses) {
  ExactSum sum;
  for (const double term : {1e15, 0x1p-60, -1e15, 0.25, -0.5}) sum.add(term);
  EXPECT_EQ(sum.total({}), -0.25 + 0x1p-60);
}

TEST(ExactSum, DoesNotDependOnTheOrder) {
  std::vector<double> terms;
  for (int i = 1; i < 2000; ++i) terms.push_back(std::sin(i) * std::exp(i % 30 - 15.0));
  const auto total = [&] {
    ExactSum sum;
    for (const double term : terms) sum.add(term);
    return sum.total({});
  };
  const double forward = total();
  std::reverse(terms.begin(), terms.end());
  EXPECT_EQ(total(), forward);
  ExactSum odd;
  ExactSum even;
  for (std::size_t i = 0; i < terms.size(); ++i) (i % 2 == 0 ? even : odd).add(terms[i]);
  even += odd;
  EXPECT_EQ(even.total({}), forward);
  long double plain = 0;
  for (const double term : terms) plain += term;
  EXPECT_NEAR(forward, static_cast<double>(plain), 1e-12 * std::fabs(forward));
}

TEST(ExactSum, TermsLoseWhatIsBelowTheUnit) {
  for (const double size :
       {0.0, 1e-310, 0x1p-73, 0x1p-72, 1.9 * 0x1p-72, 3.5e-19, 0.1, 1.0, 1e10 / 3, 0x1.fffffffffffffp54}) {
    for (const double term : {size, -size}) {
      ExactSum sum;
      sum.add(term);
      EXPECT_EQ(sum.total({}), static_cast<double>(static_cast<__int128>(term * 0x1p72)) * 0x1p-72) << term;
      sum.add(-term);
      EXPECT_EQ(sum.total({}), 0) << term;
    }
  }
}

}  // namespace
}  // namespace multiwalk
