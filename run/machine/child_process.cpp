// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/child_process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/base/error.hpp"

namespace multiwalk {

std::optional<int> run_child(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (failure == ENOENT) return std::nullopt;
  require(failure == 0, words[0] + ": " + std::strerror(failure));
  int status = 0;
  while (waitpid(child, &status, 0) < 0) require(errno == EINTR, words[0] + ": " + std::strerror(errno));
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string shell_line(const std::vector<std::string>& words) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:+,%@";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char letter : word) line += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    line += '\'';
  }
  return line;
}

}  // namespace multiwalk
