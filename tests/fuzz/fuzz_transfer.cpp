// SPDX-License-Identifier: GPL-3.0-or-later
// A table of the linear power, and the power that follows from it.
#include <cmath>

#include "ic/power/linear_power.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/text_mutator.hpp"

using namespace multiwalk;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const fuzz::MemoryFile file(data, bytes);
  fuzz::expect_input_error_at_most([&] {
    const LinearPower power = LinearPower::from_file(file.path(), {});
    if (!(power(0.1) >= 0)) std::abort();
  });
  return 0;
}
