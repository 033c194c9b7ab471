// SPDX-License-Identifier: GPL-3.0-or-later
// A command writes over no file that it reads, by whatever name.
#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/command_files.hpp"
#include "run/files/partial_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

class CommandFiles : public ::testing::Test {
 protected:
  CommandFiles() {
    write_file_atomically(in_, "mine");
    fs::create_directory(directory_ / "folder");
    fs::create_hard_link(in_, directory_ / "hard");
    fs::create_symlink("in", directory_ / "soft");
  }

  RememberedFiles remembered_;
  TemporaryDirectory directory_;
  std::string in_ = directory_ / "in";
};

TEST_F(CommandFiles, NoNameOfAnInputIsWritten) {
  EXPECT_EQ(read_whole_file(directory_ / "soft"), "mine");
  for (const char* name : {"in", "hard", "soft", "./in", "folder/../in"}) {
    EXPECT_THROW(named_output(directory_ / name, "-o"), InputError) << name;
  }
  EXPECT_THROW(write_file_atomically(in_, "theirs"), InputError);
  EXPECT_THROW(write_file_atomically(directory_ / "hard", "theirs"), InputError);
  EXPECT_THROW(FileDescriptor::create_or_open(directory_ / "hard"), InputError);
  fs::create_hard_link(in_, directory_ / "new.partial");
  EXPECT_THROW(write_file_atomically(directory_ / "new", "theirs"), InputError);
  EXPECT_EQ(read_whole_file(in_), "mine");
}

TEST_F(CommandFiles, NoOutputIsRead) {
  EXPECT_EQ(named_output(directory_ / "soft", "--read-later"), in_);
  EXPECT_THROW(read_whole_file(directory_ / "hard"), InputError);
}

TEST_F(CommandFiles, TwoOutputsHaveTwoNames) {
  EXPECT_EQ(named_output(directory_ / "out", "--csv"), directory_ / "out");
  EXPECT_EQ(named_output(directory_ / "out", "--csv"), directory_ / "out");
  EXPECT_THROW(named_output(directory_ / "./out", "--json"), InputError);
  EXPECT_EQ(named_output("not_there_yet", "-o"), "not_there_yet");
  EXPECT_THROW(named_output("./not_there_yet", "--html"), InputError);
  EXPECT_NO_THROW(named_output("/dev/null", "--csv"));
  EXPECT_NO_THROW(named_output("/dev/null", "--json"));
}

TEST_F(CommandFiles, OwnStateAndReplacedFilesAreNoInput) {
  read_whole_file(in_);
  fs::remove(directory_ / "hard");
  fs::rename(in_, directory_ / "moved");
  write_file_atomically(in_, "new");  // another file of that name
  EXPECT_EQ(input_from(directory_.path(), [](const std::string& name) { return name == "in"; }), "");
  read_whole_file(in_);
  EXPECT_EQ(input_from(directory_.path(), [](const std::string& name) { return name == "in"; }), in_);
  EXPECT_THROW(write_file_atomically(in_, "newer"), InputError);
  own_directory(directory_.path() + "/.");
  write_file_atomically(in_, "newer");
  EXPECT_EQ(read_whole_file(in_), "newer");
  write_file_atomically(in_, "newest");
  EXPECT_EQ(read_whole_file(in_), "newest");
}

}  // namespace
}  // namespace multiwalk
