// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs per second of the CUDA kernels on the walks of a Plummer sphere (relative criterion, softening 0.01), all in
// one launch, and the host's time per walk. Fails if the forces on some targets are wrong. No device: says so and exits
// with 77.
#include <cstdio>

#include "tests/bench/plummer_walks.cuh"

namespace multiwalk::device_test {
namespace {

enum class Part { far_cells, near_cells, runs, all };

/// The walks with one part of their lists.
std::vector<Walk> part_of(const Walks& walks, Part part) {
  std::vector<Walk> some(walks.batch.walks.begin(), walks.batch.walks.end());
  for (Walk& walk : some) {
    if (part == Part::all) continue;
    if (part != Part::runs) walk.range_count = walk.source_count = 0;
    if (part == Part::far_cells) walk.cell_count = walk.far_count;
    if (part != Part::far_cells) {
      walk.cell_first += walk.far_count;
      walk.cell_count = part == Part::runs ? 0 : walk.cell_count - walk.far_count;
      walk.far_count = 0;
    }
  }
  return some;
}

/// Of the fastest of four launches.
double seconds(SphereOnDevice& device, const Walks& walks, Part part) {
  device.take(part_of(walks, part), walks.batch);
  return device.seconds([&] {
    if (part == Part::far_cells) {
      launch_far_cells(device.launch, device.stream.get());
    } else {
      launch_walks(device.launch, device.stream.get());
    }
  });
}

void measure(const Sphere& sphere, const Walks& walks, SphereOnDevice& device, bool quadrupole) {
  device.launch.quadrupole = quadrupole;
  constexpr double n = static_cast<double>(particles);
  const auto rate = [&](double pairs, Part part) { return 1e-12 * pairs / seconds(device, walks, part); };
  const double groups = static_cast<double>(walks.batch.walks.size());
  const double parts[] = {rate(walks.runs, Part::runs), rate(walks.near, Part::near_cells),
                          rate(walks.far, Part::far_cells)};
  const double whole = seconds(device, walks, Part::all);  // the last one, whose results are checked
  std::printf("%5.0f %-10s %6.0f %6.0f %6.0f %8.3f %8.3f %8.3f %11.3g %9.1f\n", n / groups,
              quadrupole ? "quadrupole" : "monopole", walks.runs / n, walks.near / n, walks.far / n, parts[0], parts[1],
              parts[2], n / whole, 1e6 * walks.seconds / groups);
  std::fflush(stdout);
  device.check(sphere, walks.batch);
}

int run() {
  if (!backend_or_null()) {
    std::puts("no CUDA device");
    return 77;
  }
  const Sphere sphere;
  SphereOnDevice device(sphere);
  std::puts("mean                  pairs per particle        1e12 pairs/s             particles/s   us per walk");
  std::puts("group order        partic   near    far   partic     near      far    all kernels   on host");
  for (const std::uint32_t group_size : {128U, 256U, 512U, 1024U}) {
    const Walks walks(sphere, group_size);
    for (const bool quadrupole : {true, false}) measure(sphere, walks, device, quadrupole);
  }
  return 0;
}

}  // namespace
}  // namespace multiwalk::device_test

int main() try { return multiwalk::device_test::run(); } catch (const std::exception& error) {
  std::fprintf(stderr, "bench_walk_kernels: %s\n", error.what());
  return 1;
}
