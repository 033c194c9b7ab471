// A snapshot in one HDF5 file: its header, then its particles.
#include "run/snapshot.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace multiwalk;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const fuzz::MemoryFile file(data, bytes);
  fuzz::expect_input_error_at_most([&] {
    read_snapshot_info(file.path());
    read_snapshot(file.path());
  });
  return 0;
}
