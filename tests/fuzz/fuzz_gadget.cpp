// SPDX-License-Identifier: GPL-3.0-or-later
// GADGET's binary files, byte by byte: headers, records and particles; mutations also make new ones, whose records are
// right. Whatever begins otherwise is HDF5's to refuse.
#include "run/formats/gadget_file.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/support/gadget_bytes.hpp"

using namespace multiwalk;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

namespace {

/// A good file of a few particles, but for what the header may contradict.
std::string made_file(std::minstd_rand& random) {
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  test::GadgetBytes file;
  file.format = one_in(2) ? 1 : 2;
  file.big_endian = one_in(4);
  file.doubles = one_in(3);
  file.long_ids = one_in(3);
  if (one_in(8)) file.files = static_cast<int>(random() % 5) - 1;
  if (one_in(8)) file.total[random() % 6] = random();
  if (one_in(8)) file.a = one_in(2) ? 1e300 : -1;
  if (one_in(8)) file.box = one_in(2) ? 0 : 1e-300;
  if (one_in(8)) file.omega_m = one_in(2) ? 0 : 1e30;
  if (one_in(8)) file.h = one_in(2) ? 0 : 1e30;
  for (int type = 0; type < 6; ++type) {
    if (!one_in(type == 1 ? 1 : 4)) continue;
    test::GadgetBytes::Particles some{.type = type};
    for (std::size_t i = random() % 3; i > 0; --i) {
      some.id.push_back(one_in(8) ? 1 : random());
      for (int k = 0; k < 3; ++k) {
        some.x.push_back(one_in(32) ? 1e38 : static_cast<double>(random() % 100));
        some.v.push_back(static_cast<double>(random() % 100));
      }
      some.mass.push_back(static_cast<double>(random() % 3));
    }
    if (one_in(2)) {
      some.mass.clear();
      some.table = static_cast<double>(random() % 3);
    }
    file.particles.push_back(std::move(some));
  }
  return file.make();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::string file;
  if (random() % 4 == 0) file = made_file(random);
  if (file.empty() || file.size() > most) return LLVMFuzzerMutate(data, bytes, most);
  file.copy(reinterpret_cast<char*>(data), file.size());
  return file.size();
}

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
