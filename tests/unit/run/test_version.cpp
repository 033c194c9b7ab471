// The version must name the project's version and the commit that git itself reports.
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <string>

#include "run/version.hpp"

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

TEST(Version, NamesTheCommitThatGitReports) {
  const std::string source = MULTIWALK_SOURCE_DIR;
  if (!std::filesystem::exists(source + "/.git")) {
    EXPECT_NE(version_short().find("(commit unknown)"), std::string::npos);
    return;
  }
  const std::string commit = output_of("git -C '" + source + "' rev-parse --short=10 HEAD 2>/dev/null");
  if (commit.empty()) GTEST_SKIP() << "git cannot read this checkout";
  EXPECT_NE(version_short().find("(commit " + commit), std::string::npos) << version_short();
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
