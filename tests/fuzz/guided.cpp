// SPDX-License-Identifier: GPL-3.0-or-later
// fuzz_guided: libFuzzer on the target that the variable MULTIWALK_FUZZ_TARGET names.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "tests/fuzz/targets.hpp"

using namespace multiwalk::fuzz;

namespace {

const Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* const name = std::getenv("MULTIWALK_FUZZ_TARGET");
  target = std::ranges::find(targets, std::string_view(name != nullptr ? name : ""), &Target::name);
  if (target == std::end(targets)) {
    std::fprintf(stderr, "fuzz_guided: MULTIWALK_FUZZ_TARGET names no target:");
    for (const Target& each : targets) std::fprintf(stderr, " %s", each.name);
    std::fprintf(stderr, "\n");
    std::exit(1);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  return target->read(data, bytes);
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  return target->mutate(data, bytes, most, seed);
}
