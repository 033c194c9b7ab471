// SPDX-License-Identifier: GPL-3.0-or-later
// Outputs are hit exactly, whatever the step and wherever a run was restarted.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/base/error.hpp"
#include "run/evolve/output_schedule.hpp"

namespace multiwalk {
namespace {

TEST(OutputSchedule, SortsMergesAndAlwaysEndsAtTheEnd) {
  const OutputSchedule schedule({0.5, 0.1, 0.5, 0.25}, 0.04, 1);
  EXPECT_EQ(std::vector<double>(schedule.times().begin(), schedule.times().end()),
            (std::vector<double>{0.1, 0.25, 0.5, 1}));
  EXPECT_EQ(schedule.last(), 1);
}

TEST(OutputSchedule, RedshiftsBecomeExpansionFactors) {
  Parameters p;
  p.ic.z_start = 24;
  p.time.z_end = 0.5;
  p.output.redshifts = {24, 0.5, 2};
  const double a_start = std::nextafter(1.0 / 25, 1.0);
  const OutputSchedule schedule = OutputSchedule::comoving(p, a_start);
  ASSERT_EQ(schedule.times().size(), 3u);
  EXPECT_EQ(schedule.times()[0], a_start);
  EXPECT_EQ(schedule.times()[1], 1 / (1 + 2.0));
  EXPECT_EQ(schedule.times()[2], 1 / (1 + 0.5));
}

TEST(OutputSchedule, EvenlySpacedOutputsReachFromStartToEnd) {
  Parameters p;
  p.time.z_end = 0;
  p.output.redshifts = {1};
  p.output.evenly_spaced = 4;
  const OutputSchedule comoving = OutputSchedule::comoving(p, 1 / 125.0);
  const std::vector<double> factors{1 / 125.0, 1 / 25.0, 1 / 5.0, 0.5, 1};
  ASSERT_EQ(comoving.times().size(), factors.size());
  for (std::size_t i = 0; i < factors.size(); ++i) EXPECT_NEAR(comoving.times()[i], factors[i], 1e-12);
  EXPECT_EQ(comoving.times()[0], 1 / 125.0);
  EXPECT_EQ(comoving.last(), 1);
  p.time.t_end = 3;
  const OutputSchedule newtonian = OutputSchedule::newtonian(p, 0);
  EXPECT_EQ(std::vector<double>(newtonian.times().begin(), newtonian.times().end()), (std::vector<double>{0, 1, 2, 3}));
  p.output.evenly_spaced = 1;
  EXPECT_EQ(OutputSchedule::newtonian(p, 0).times().size(), 1U);
}

TEST(OutputSchedule, RefusesOutputsOutsideTheRun) {
  EXPECT_THROW(OutputSchedule({0.5}, 0.6, 1), InputError);
  EXPECT_THROW(OutputSchedule({1.5}, 0.6, 1), InputError);
  EXPECT_THROW(OutputSchedule({}, 2, 1), InputError);
  Parameters p;
  p.output.redshifts = {30};
  EXPECT_THROW(OutputSchedule::comoving(p, 0.04), InputError);
  p.output.redshifts = {};
  p.time.z_end = 30;
  EXPECT_THROW(OutputSchedule::comoving(p, 0.04), InputError);
}

TEST(OutputSchedule, RandomStepsLandBitwiseOnEveryOutput) {
  const std::vector<double> wanted{1 / 11.0, 1 / 6.0, 1 / 3.0, 0.5, 1 / 1.5};
  const OutputSchedule schedule(wanted, 0.04, 1);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> size(1e-4, 0.2);
  for (int run = 0; run < 100; ++run) {
    double a = 0.04;
    std::vector<double> hit;
    int steps = 0;
    double shortest = 1;
    while (schedule.next(a)) {
      const double step = size(random);
      const double end = schedule.end_of_step(a, a + step);
      ASSERT_GT(end, a);
      ASSERT_LE(end, a + step * (1 + 1e-9));
      shortest = std::min(shortest, end - a);
      a = end;
      if (const auto number = schedule.due(a)) {
        EXPECT_EQ(*number, hit.size());
        hit.push_back(a);
      }
      ASSERT_LT(++steps, 100000);
    }
    EXPECT_EQ(hit, (std::vector<double>{1 / 11.0, 1 / 6.0, 1 / 3.0, 0.5, 1 / 1.5, 1}));
    EXPECT_GT(shortest, 0.5e-4);
  }
}

TEST(OutputSchedule, IsTheSameAfterARestart) {
  const OutputSchedule schedule({0.1, 0.2}, 0.04, 1);
  EXPECT_EQ(schedule.next(0.05), 0.1);
  EXPECT_EQ(schedule.next(0.1), 0.2);
  EXPECT_EQ(schedule.next(std::nextafter(0.1, 0)), 0.1);
  EXPECT_EQ(schedule.next(1), std::nullopt);
  EXPECT_EQ(schedule.due(0.2), 1u);
  EXPECT_EQ(schedule.due(std::nextafter(0.2, 1)), std::nullopt);
}

TEST(OutputSchedule, StepsEndAtStopsWhichAreNoOutputs) {
  OutputSchedule schedule({0.5}, 0, 1);
  for (const double stop : {0.7, 0.3, 0.5 * (1 + 1e-14), 0.7}) schedule.add_stop(stop);
  EXPECT_EQ(schedule.next(0), 0.3);
  EXPECT_EQ(schedule.next(0.3), 0.5);
  EXPECT_EQ(schedule.next(0.5), 0.7);
  EXPECT_EQ(schedule.next(0.7), 1);
  EXPECT_EQ(schedule.end_of_step(0.2, 0.31), 0.3);
  EXPECT_EQ(schedule.end_of_step(0.3, 0.45), 0.4);
  EXPECT_EQ(schedule.due(0.3), std::nullopt);
  EXPECT_EQ(schedule.due(0.5), 0u);
  EXPECT_EQ(schedule.times().size(), 2u);
  EXPECT_THROW(schedule.add_stop(1.1), InputError);
  EXPECT_THROW(schedule.add_stop(std::nan("")), InputError);
}

/// A step to a stop that differs from the start by rounding would have no length.
TEST(OutputSchedule, AStopAtTheStartIsNone) {
  OutputSchedule schedule({}, 0.1, 1);
  for (const double stop : {0.1, std::nextafter(0.1, 1), 0.1 * (1 + 5e-13), 0.4}) schedule.add_stop(stop);
  EXPECT_EQ(schedule.next(0.1), 0.4);
  EXPECT_EQ(schedule.end_of_step(0.1, 0.15), 0.15);
}

TEST(OutputSchedule, NearlyReachedOutputsAreReached) {
  const OutputSchedule schedule({}, 0, 1);
  EXPECT_EQ(schedule.end_of_step(0.5, 1 - 1e-13), 1);
  EXPECT_EQ(schedule.end_of_step(0.5, 1.4), 1);
  EXPECT_EQ(schedule.end_of_step(0.5, 0.9), 0.75);
  EXPECT_EQ(schedule.end_of_step(0.5, 0.6), 0.6);
}

}  // namespace
}  // namespace multiwalk
