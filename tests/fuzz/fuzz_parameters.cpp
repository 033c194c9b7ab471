// SPDX-License-Identifier: GPL-3.0-or-later
// A parameter file, and what is made of it again.
#include "run/parameters/parameters.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/text_mutator.hpp"

using namespace multiwalk;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  fuzz::expect_input_error_at_most([&] {
    const std::string echoed = to_toml(parse_parameters(text, "input"));
    if (to_toml(parse_parameters(echoed, "echo")) != echoed) std::abort();
  });
  return 0;
}
