// SPDX-License-Identifier: GPL-3.0-or-later
// A table of bodies.
#include "run/evolve/bodies_file.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/text_mutator.hpp"

using namespace multiwalk;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const fuzz::MemoryFile file(data, bytes);
  fuzz::expect_input_error_at_most([&] { read_bodies_file(file.path()); });
  return 0;
}
