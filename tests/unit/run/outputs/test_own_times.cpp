// SPDX-License-Identifier: GPL-3.0-or-later
// Outputs that a restart asks for too late.
#include <gtest/gtest.h>

#include "decomposition/ranks/agree.hpp"
#include "run/outputs/own_times.hpp"

namespace multiwalk {
namespace {

const OwnTimes grids{"density grids", "grid_", {0.2, 0.25, 0.5, 1}};
const OwnTimes trees{"tree outputs", "fof_", {0.5}, {0.2, 0.3, 0.5}};

/// The first step after a time serves it, unless a step ends there.
TEST(PassedOutputs, OfTreesAreMadeByTheNextStep) {
  RunRecord record;
  record.running_outputs.push_back({0.22, 1 / 0.22 - 1, {"run/fof_subhalo_hbt_tab_000.0.hdf5"}});
  const std::vector<OwnTimes> own{trees};
  const OutputSchedule schedule({}, 0.1, 1);
  EXPECT_EQ(passed_outputs(schedule, own, record, 0.25), "");
  EXPECT_EQ(passed_outputs(schedule, own, record, 0.32), "tree outputs at z = 2.33333");
  record.running_outputs.push_back({0.7, 1 / 0.7 - 1, {"run/fof_subhalo_hbt_tab_001.0.hdf5"}});
  EXPECT_EQ(passed_outputs(schedule, own, record, 0.8), "tree outputs at z = 1");
}

TEST(PassedOutputs, AreNamedUnlessTheyWereMade) {
  RunRecord record;
  record.outputs.push_back({0.5, 1, {}});
  record.running_outputs.push_back({0.25, 3, {"run/grid_000.hdf5"}});
  record.running_outputs.push_back({0.5, 1, {"run/snap4_densityPlane0_normal0.fits"}});
  const std::vector<OwnTimes> own{grids};
  const OutputSchedule schedule({0.2, 0.25, 0.5}, 0.1, 1);
  EXPECT_EQ(passed_outputs(schedule, own, record, 0.5), "outputs at z = 4, 3; density grids at z = 4, 1");
  EXPECT_EQ(passed_outputs(schedule, own, record, 0.22), "outputs at z = 4; density grids at z = 4");
  EXPECT_EQ(passed_outputs(OutputSchedule({0.5}, 0.1, 1), {}, record, 0.7), "");
  EXPECT_EQ(next_number(record, "grid_"), 1U);
  EXPECT_EQ(next_number(record, "snap"), 5U);
  EXPECT_EQ(next_number(record, "fof_"), 0U);
}

TEST(OwnTimes, LieInTheRun) {
  require_in_run("grids.redshifts", {9, 0}, 0.1);
  EXPECT_THROW(require_in_run("grids.redshifts", {0, 9.01}, 0.1), SharedError);
}

}  // namespace
}  // namespace multiwalk
