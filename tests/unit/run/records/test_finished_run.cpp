// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says about the end of its run.
#include <gtest/gtest.h>

#include <filesystem>

#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/records/finished_run.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using nlohmann::json;

const json finished{{"finished", true},
                    {"comoving", true},
                    {"title", "kept"},
                    {"outputs", {{{"z", 3.0}, {"time", 0.25}}, {{"z", 1.0}, {"time", 0.5}}}}};

TEST(FinishedRun, ItsReportSaysSo) {
  EXPECT_TRUE(is_finished(finished));
  json report = finished;
  report.erase("finished");  // the last output alone does not say it
  EXPECT_FALSE(is_finished(report));
  report["finished"] = false;
  EXPECT_FALSE(is_finished(report));
  report["finished"] = "yes";
  EXPECT_THROW(is_finished(report), json::exception);
}

TEST(FinishedRun, HasAnEndUntilItBeginsAgain) {
  const test::TemporaryDirectory directory;
  const std::string file = directory / "report.json";
  EXPECT_FALSE(end_of_finished_run(directory.path()));
  write_file_atomically(file, finished.dump());
  ASSERT_TRUE(end_of_finished_run(directory.path()));
  EXPECT_EQ(end_of_finished_run(directory.path())->time, 0.5);
  EXPECT_TRUE(end_of_finished_run(directory.path())->comoving);
  begin_again(directory.path());
  EXPECT_FALSE(end_of_finished_run(directory.path()));
  EXPECT_EQ(read_json(file).at("title"), "kept");
  for (const char* damaged : {"", "{", "[]", R"({"finished": true})", R"({"finished": true, "outputs": []})"}) {
    write_file_atomically(file, damaged);
    EXPECT_FALSE(end_of_finished_run(directory.path())) << damaged;
    begin_again(directory.path());
    EXPECT_EQ(read_whole_file(file), damaged);
  }
}

}  // namespace
}  // namespace multiwalk
