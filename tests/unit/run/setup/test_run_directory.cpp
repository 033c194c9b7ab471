// SPDX-License-Identifier: GPL-3.0-or-later
// What counts as a run in a directory.
#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/setup/run_directory.hpp"
#include "run/setup/run_identity.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

std::string refusal(const TemporaryDirectory& directory, ExistingRun existing) {
  try {
    static_cast<void>(prepare_run_directory(directory.path(), existing));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

const std::string of_a_run = with_run_id("0123456789abcdef", "[run]\n");

/// As after a start for which there was too little memory.
TEST(RunDirectory, WithoutAResultHoldsNoRun) {
  const TemporaryDirectory directory;
  for (const auto& [name, text] : {std::pair{"parameters.toml", of_a_run.c_str()},
                                   {"log.txt", "began\n"},
                                   {"sizes.json", "{}"},
                                   {"steps.csv", "step,time\n"},
                                   {"rungs.csv", ""},
                                   {"snapshot_000.hdf5.partial", "half"},
                                   {"stop", ""}}) {
    write_file_atomically(directory / name, text);
    EXPECT_EQ(refusal(directory, ExistingRun::refuse), "") << name;
    EXPECT_EQ(refusal(directory, ExistingRun::restart), "") << name;
  }
  EXPECT_EQ(read_whole_file(directory / "log.txt"), "began\n");
  EXPECT_FALSE(fs::exists(directory / "stop"));
  for (const char* result : {"snapshot_000.hdf5", "report.json", "checkpoint_00000007.mwc", "grid_000.hdf5",
                             "lightcone_shell_000.fits", "trees.hdf5"}) {
    write_file_atomically(directory / result, "");
    EXPECT_NE(refusal(directory, ExistingRun::refuse).find("holds a run already"), std::string::npos) << result;
    fs::remove(directory / result);
  }
  write_file_atomically(directory / "steps.csv", "step,time\n0,1\n");
  EXPECT_NE(refusal(directory, ExistingRun::refuse).find("holds a run already"), std::string::npos);
}

/// A run would write its own parameters.toml over it.
TEST(RunDirectory, OfAUsersParameterFileIsRefused) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "parameters.toml", "[run] # my notes\n");
  EXPECT_NE(refusal(directory, ExistingRun::refuse).find("holds no run"), std::string::npos);
  EXPECT_NE(refusal(directory, ExistingRun::overwrite).find("holds no run"), std::string::npos);
  EXPECT_NE(refusal(directory, ExistingRun::restart).find("no run to continue"), std::string::npos);
  write_file_atomically(directory / "snapshot_000.hdf5", "");
  EXPECT_EQ(refusal(directory, ExistingRun::restart), "");
}

TEST(RunDirectory, OverwritingLeavesFilesOfOthers) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "parameters.toml", of_a_run);
  write_file_atomically(directory / "report.json", "{}");
  write_file_atomically(directory / "notes.txt", "mine");
  EXPECT_EQ(refusal(directory, ExistingRun::overwrite), "");
  EXPECT_FALSE(fs::exists(directory / "report.json"));
  EXPECT_TRUE(fs::exists(directory / "notes.txt"));
}

}  // namespace
}  // namespace multiwalk
