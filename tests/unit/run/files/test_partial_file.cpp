// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "run/files/atomic_file.hpp"
#include "run/files/partial_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;

TEST(PartialFile, NoLinkAtItsNameIsFollowed) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "precious", "mine");
  std::filesystem::create_symlink(directory / "precious", directory / "report.json.partial");
  write_file_atomically(directory / "report.json", "{}");
  EXPECT_EQ(read_whole_file(directory / "precious"), "mine");
  EXPECT_EQ(read_whole_file(directory / "report.json"), "{}");
  EXPECT_FALSE(std::filesystem::is_symlink(directory / "report.json"));
}

TEST(PartialFile, APipeAtItsNameIsNotWaitedFor) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "report.json.partial").c_str(), 0600), 0);
  write_file_atomically(directory / "report.json", "{}");
  EXPECT_EQ(read_whole_file(directory / "report.json"), "{}");
}

TEST(PartialFile, LinksAtTheFinalNameAreKept) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("elsewhere.json", directory / "report.json");
  write_file_atomically(directory / "report.json", "{}");
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "report.json"));
  EXPECT_EQ(read_whole_file(directory / "elsewhere.json"), "{}");
}

}  // namespace
}  // namespace multiwalk
