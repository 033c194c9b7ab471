// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says about the end of its run.
#include <gtest/gtest.h>

#include "run/records/finished_run.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

TEST(FinishedRun, ItsLastOutputLiesAtTheEnd) {
  json report{{"comoving", true},
              {"outputs", {{{"z", 3.0}, {"time", 0.25}}, {{"z", 0.5}, {"time", 2.0 / 3}}}},
              {"parameters", {{"time", {{"z_end", 0.5}, {"t_end", 0.7}}}, {"run", json::object()}}}};
  EXPECT_TRUE(is_finished(report));
  report["comoving"] = false;
  EXPECT_FALSE(is_finished(report));
  report["parameters"]["time"]["t_end"] = 2.0 / 3;
  EXPECT_TRUE(is_finished(report));
  report["outputs"] = json::array();
  EXPECT_FALSE(is_finished(report));
  report.erase("outputs");
  EXPECT_THROW(is_finished(report), json::exception);
}

TEST(FinishedRun, EndsWithACheckpointUnlessToldOtherwise) {
  json report{{"parameters", {{"run", json::object()}}}};  // older versions always wrote one
  EXPECT_FALSE(ends_without_checkpoint(report));
  for (const bool last : {true, false}) {
    report["parameters"]["run"]["final_checkpoint"] = last;
    EXPECT_EQ(ends_without_checkpoint(report), !last);
  }
}

}  // namespace
}  // namespace multiwalk
