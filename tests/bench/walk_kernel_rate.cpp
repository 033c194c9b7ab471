// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs per second of the CUDA walk kernel for groups of one size and lists of 4096 entries, through the back end.
// The rate is pairs / time in which the device evaluated something. No device: says so and exits with 77.
#include <algorithm>
#include <cstdio>

#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::uint32_t particles = 1 << 20, nodes = 1 << 18, list = 4096, run = 16;

enum class Sources { runs, near_cells, far_cells };

/// Walks of `targets` targets; lists of cells, or of runs of particles.
void fill(Problem& problem, std::uint32_t targets, std::uint32_t walks, Sources sources) {
  const bool cells = sources != Sources::runs;
  std::mt19937_64 random(5);
  problem.batch.clear();
  for (std::uint32_t w = 0; w < walks; ++w) {
    const std::uint32_t first = static_cast<std::uint32_t>(random() % (particles - targets));
    std::vector<std::uint32_t> cell;
    std::vector<ParticleRange> range;
    for (std::uint32_t i = 0; cells && i < list; ++i) cell.push_back(static_cast<std::uint32_t>(random() % nodes));
    for (std::uint32_t i = 0; !cells && i < list / run; ++i) {
      range.push_back({static_cast<std::uint32_t>(random() % (particles - run)), run});
    }
    problem.add_walk({1000.5, 2000.5, -499.5}, first, targets, cell, range);
    if (sources == Sources::far_cells) problem.batch.walks.back().far_count = list;
  }
}

double rate(ForceBackend& backend, Problem& problem, const PairLaw& law, std::uint32_t targets, Sources sources) {
  const bool cells = sources != Sources::runs;
  const auto walks = static_cast<std::uint32_t>(std::min(32000.0, 1e10 / (double{list} * targets))) + 1;
  fill(problem, targets, walks, sources);
  const std::size_t per_batch = std::max<std::size_t>(1, (cells ? 1U << 19 : 1U << 15) / (cells ? list : list / run));
  double best = 0;
  for (int repeat = 0; repeat < 4; ++repeat) {
    const BackendTimes times = evaluate(backend, problem, law, problem.targets(false), 8, per_batch);
    best = std::max(best, double{list} * targets * walks / times.device);
  }
  return best;
}

int measure() {
  const auto backend = backend_or_null();
  if (!backend) {
    std::puts("no CUDA device");
    return 77;
  }
  Problem problem = random_problem(particles, nodes, 1);
  const PairLaw soft{1, 0.01, MultipoleOrder::monopole}, hard{1, 0, MultipoleOrder::monopole},
      quadrupole{1, 0.01, MultipoleOrder::quadrupole}, near{1, 0.01, MultipoleOrder::quadrupole, 64, {1, 6}};
  std::printf("%s\n1e12 pairs/s   particles            near cells            far cells            short range\n",
              backend->description().c_str());
  std::puts(" targets  softened   eps = 0   monopole quadrupole   monopole quadrupole  particles quadrupole");
  for (const std::uint32_t targets : {1U, 8U, 32U, 64U, 100U, 128U, 200U, 256U, 300U, 400U, 512U, 700U, 1024U, 2000U}) {
    const auto column = [&](const PairLaw& law, Sources sources) {
      return 1e-12 * rate(*backend, problem, law, targets, sources);
    };
    std::printf("%8u %9.3f %9.3f  %9.3f %10.3f  %9.3f %10.3f  %9.3f %10.3f\n", targets, column(soft, Sources::runs),
                column(hard, Sources::runs), column(soft, Sources::near_cells), column(quadrupole, Sources::near_cells),
                column(soft, Sources::far_cells), column(quadrupole, Sources::far_cells), column(near, Sources::runs),
                column(near, Sources::near_cells));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace multiwalk::device_test

int main() {
  return multiwalk::device_test::measure();
}
