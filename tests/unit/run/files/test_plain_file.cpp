// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "host/base/error.hpp"
#include "run/driver/tree_sizes_file.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/plain_file.hpp"
#include "run/setup/run_directory.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;

TEST(PlainFile, IsReadFromAnyPlace) {
  const TemporaryDirectory directory;
  test::write_bytes(directory / "text", "abcdef");
  const PlainFile file(directory / "text");
  EXPECT_EQ(file.size(), 6U);
  std::string some(3, ' ');
  file.read(2, some.data(), 3);
  EXPECT_EQ(some, "cde");
  EXPECT_THROW(file.read(4, some.data(), 3), InputError);
  EXPECT_EQ(read_whole_file(directory / "text"), "abcdef");
}

TEST(PlainFile, NothingElseIsOpened) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {directory / "pipe", directory.path(), std::string("/dev/null"), directory / "none"}) {
    EXPECT_THROW(PlainFile{path}, InputError) << path;
    EXPECT_THROW(static_cast<void>(read_whole_file(path)), InputError) << path;
  }
  ASSERT_EQ(::mkfifo((directory / "sizes.json").c_str(), 0600), 0);
  EXPECT_THROW(static_cast<void>(read_tree_sizes(directory.path(), "x")), InputError);
}

TEST(RunDirectory, HoldsPlainFilesAlone) {
  const TemporaryDirectory directory;
  test::write_bytes(directory / "parameters.toml", "");
  test::write_bytes(directory / "elsewhere", "mine");
  std::filesystem::create_symlink("elsewhere", directory / "report.json");
  std::filesystem::create_directory(directory / "pictures");
  ASSERT_EQ(::mkfifo((directory / "talk").c_str(), 0600), 0);  // not a name of a run's file
  EXPECT_NO_THROW(require_plain_files(directory.path()));
  for (const char* name : {"checkpoint_00000003.part00001.mwc", "log.txt.partial", "image_001.png"}) {
    ASSERT_EQ(::mkfifo((directory / name).c_str(), 0600), 0);
    EXPECT_THROW(require_plain_files(directory.path()), InputError) << name;
    std::filesystem::remove(directory / name);
  }
  std::filesystem::create_symlink("elsewhere", directory / "log.txt");
  for (const ExistingRun existing : {ExistingRun::restart, ExistingRun::overwrite}) {
    EXPECT_THROW(static_cast<void>(prepare_run_directory(directory.path(), existing)), InputError);
  }
}

}  // namespace
}  // namespace multiwalk
