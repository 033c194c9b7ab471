// SPDX-License-Identifier: GPL-3.0-or-later
// What the fuzz targets share: a file in memory with the input's bytes, and the one outcome beside success.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

}  // namespace multiwalk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);
