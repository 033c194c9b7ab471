// SPDX-License-Identifier: GPL-3.0-or-later
// The version must name the project's version and a commit that git knows.
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <string>

#include "run/machine/version.hpp"

namespace multiwalk {
namespace {

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::array<char, 256> line{};
  const bool read = std::fgets(line.data(), line.size(), pipe) != nullptr;
  pclose(pipe);
  std::string text = read ? line.data() : "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

TEST(Version, NamesACommitOfThisCheckout) {
  const std::string text = version_short();
  const auto start = text.find("(commit ");
  ASSERT_NE(start, std::string::npos) << text;
  const std::string commit = text.substr(start + 8, text.find_first_of("-)", start) - start - 8);
  const std::string git = "git -C '" MULTIWALK_SOURCE_DIR "' ";
  if (output_of(git + "rev-parse HEAD 2>/dev/null").empty()) {
    EXPECT_EQ(commit, "unknown");
  } else {
    EXPECT_EQ(output_of(git + "cat-file -t " + commit + " 2>&1"), "commit") << text;
  }
}

TEST(Version, TextNamesVersionCompilerAndLibraries) {
  const std::string text = version_text();
  EXPECT_EQ(text.rfind("multiwalk " MULTIWALK_PROJECT_VERSION " (commit ", 0), 0U) << text;
  for (const char* line : {"\nbuild: ", "\ncompiler: ", "\nCUDA: ", "\nMPI: ", "\nHDF5: ", "\nFFTW: ", "\nGSL: "}) {
    const auto start = text.find(line);
    ASSERT_NE(start, std::string::npos) << line;
    const auto value = text.find_first_not_of(' ', start + std::string(line).size());
    EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(text.at(value)))) << line << text;
  }
}

}  // namespace
}  // namespace multiwalk
