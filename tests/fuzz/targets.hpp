// SPDX-License-Identifier: GPL-3.0-or-later
// All fuzz targets by name.
#pragma once

#include <cstddef>
#include <cstdint>

// TARGET(name) for every target.
#define TARGET(name)                                                 \
  extern "C" int one_input_##name(const std::uint8_t*, std::size_t); \
  extern "C" std::size_t mutate_##name(std::uint8_t*, std::size_t, std::size_t, unsigned) __attribute__((weak));
#include "fuzz_targets.inc"
#undef TARGET

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

namespace multiwalk::fuzz {

struct Target {
  const char* name;
  int (*read)(const std::uint8_t*, std::size_t);
  std::size_t (*own_mutate)(std::uint8_t*, std::size_t, std::size_t, unsigned);  ///< null: LLVMFuzzerMutate does

  std::size_t mutate(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) const {
    return own_mutate != nullptr ? own_mutate(data, bytes, most, seed) : LLVMFuzzerMutate(data, bytes, most);
  }
};

#define TARGET(name) {#name, one_input_##name, mutate_##name},
inline constexpr Target targets[] = {
#include "fuzz_targets.inc"
};
#undef TARGET

}  // namespace multiwalk::fuzz
