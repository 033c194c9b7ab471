// What the fuzz targets share: a file in memory with the input's bytes, and the one outcome beside success.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk::fuzz {

/// Lives in memory until the object ends.
class MemoryFile {
 public:
  MemoryFile(const void* data, std::size_t bytes) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || ::write(descriptor_, data, bytes) != static_cast<ssize_t>(bytes)) std::abort();
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
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
