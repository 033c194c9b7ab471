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

TEST(PartialFile, LinksAtTheFinalNameAreReplaced) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "precious", "mine");
  for (const char* target : {"precious", "nowhere"}) {
    std::filesystem::remove(directory / "report.json");
    std::filesystem::create_symlink(target, directory / "report.json");
    write_file_atomically(directory / "report.json", "{}");
    EXPECT_FALSE(std::filesystem::is_symlink(directory / "report.json"));
    EXPECT_EQ(read_whole_file(directory / "report.json"), "{}");
  }
  EXPECT_EQ(read_whole_file(directory / "precious"), "mine");
  EXPECT_FALSE(std::filesystem::exists(directory / "nowhere"));
}

TEST(PartialFile, FilesWithOtherNamesDoNotGrowUnderThese) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "log.txt", "one");
  std::filesystem::create_hard_link(directory / "log.txt", directory / "backup");
  std::filesystem::create_hard_link(directory / "log.txt", directory / "new.partial");
  FileDescriptor log = FileDescriptor::create_or_open(directory / "log.txt");
  log.write(" two", 4);
  log.close();
  write_file_atomically(directory / "new", "three");
  EXPECT_EQ(read_whole_file(directory / "log.txt"), "one two");
  EXPECT_EQ(read_whole_file(directory / "new"), "three");
  EXPECT_EQ(read_whole_file(directory / "backup"), "one");
}

}  // namespace
}  // namespace multiwalk
