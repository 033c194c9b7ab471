// SPDX-License-Identifier: GPL-3.0-or-later
// The least of the limits that control groups set.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "run/machine/memory_limit.hpp"

namespace multiwalk {
namespace {

namespace fs = std::filesystem;

class MemoryLimit : public testing::Test {
 protected:
  fs::path root_ = fs::temp_directory_path() / ("multiwalk_groups_" + std::to_string(::getpid()));
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  [[nodiscard]] std::uint64_t limit(const std::string& membership) const {
    std::istringstream text(membership);
    return group_memory_limit(text, root_);
  }
};

TEST_F(MemoryLimit, OfAGroupAndThoseAroundIt) {
  EXPECT_EQ(limit("0::/job/step\n"), UINT64_MAX);
  write("job/memory.max", "max");
  write("job/step/memory.max", "9000");
  EXPECT_EQ(limit("0::/job/step\n"), 9000U);
  EXPECT_EQ(limit("0::/job\n"), UINT64_MAX);
  write("job/memory.max", "5000");
  EXPECT_EQ(limit("0::/job/step\n"), 5000U);
  EXPECT_EQ(limit("0::/other\n"), UINT64_MAX);
  write("memory.max", "4000");  // a container's own root
  EXPECT_EQ(limit("0::/not/mounted/here\n"), 4000U);
}

TEST_F(MemoryLimit, OfVersionOne) {
  write("memory/job/memory.limit_in_bytes", "7000");
  write("cpu/job/memory.limit_in_bytes", "1");
  EXPECT_EQ(limit("12:cpu,cpuacct:/job\n3:hugetlb,memory:/job\n0::/\n"), 7000U);
  EXPECT_EQ(limit("3:memory_pressure:/job\nnonsense\n"), UINT64_MAX);
}

TEST_F(MemoryLimit, OfThisProcessIsThatOfTheMachineOrLess) {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  EXPECT_GT(usable_memory(), 1U << 20);
  EXPECT_LE(usable_memory(), static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page));
}

}  // namespace
}  // namespace multiwalk
