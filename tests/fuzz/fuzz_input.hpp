// SPDX-License-Identifier: GPL-3.0-or-later
// What the fuzz targets share: a file in memory with the input's bytes, and the one outcome beside success.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk::fuzz {

/// Lives until the object ends, one at a time.
class MemoryFile {
 public:
  MemoryFile(const void* data, std::size_t bytes) : path_("/dev/shm/multiwalk_fuzz_" + std::to_string(::getpid())) {
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0 || ::write(descriptor, data, bytes) != static_cast<ssize_t>(bytes)) std::abort();
    ::close(descriptor);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Calls act(), which may refuse its input by InputError. Any other exception ends the fuzzer as a finding.
template <class Act>
void expect_input_error_at_most(const Act& act) {
  try {
    act();
  } catch (const InputError&) {
  }
}

/// Repeats a short piece of the input in its place, up to `most` bytes in all, to make the input too deep or too long
/// for a reader. Returns the new length.
inline std::size_t repeat_piece(std::uint8_t* data, std::size_t bytes, std::size_t most, std::minstd_rand& random) {
  if (bytes == 0) return 0;
  const std::size_t at = random() % bytes, length = 1 + random() % std::min<std::size_t>(8, bytes - at);
  const std::string text(reinterpret_cast<const char*>(data), bytes), piece = text.substr(at, length);
  const std::size_t room = (most - std::min(most, bytes)) / length, times = room == 0 ? 0 : 1 + random() % room;
  std::string longer = text.substr(0, at);
  for (std::size_t i = 0; i < times; ++i) longer += piece;
  longer += text.substr(at);
  longer.copy(reinterpret_cast<char*>(data), longer.size());
  return longer.size();
}

}  // namespace multiwalk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);
