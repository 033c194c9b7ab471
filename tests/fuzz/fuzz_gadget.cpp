// SPDX-License-Identifier: GPL-3.0-or-later
// GADGET's binary files, byte by byte: headers, records and particles. Whatever begins otherwise is HDF5's to refuse.
#include "run/formats/gadget_file.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace multiwalk;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const Unsaid units =
      Unsaid::of(std::vector<std::string>{R"(model.units={length="Mpc/h", mass="1e10 Msun/h", velocity="km/s"})"});
  const fuzz::MemoryFile file(data, bytes);
  if (!GadgetFile::is_one(file.path())) return 0;
  fuzz::expect_input_error_at_most([&] {
    read_snapshot_info(file.path(), units);
    read_snapshot(file.path(), {}, units);
  });
  return 0;
}
