// SPDX-License-Identifier: GPL-3.0-or-later
// For one source of a fuzz target whose input is text: mutates as libFuzzer does, and also makes long and deep texts.
#pragma once

#include "tests/fuzz/fuzz_input.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  return random() % 256 == 0 ? multiwalk::fuzz::repeat_piece(data, bytes, most, random)
                             : LLVMFuzzerMutate(data, bytes, most);
}
