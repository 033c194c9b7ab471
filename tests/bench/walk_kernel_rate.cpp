// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs per second of the CUDA walk kernel for groups of one size and lists of 4096 entries, through the back end.
// The rate is pairs / time in which the device evaluated something. Fails if the forces on some targets are wrong. No
// device: says so and exits with 77.
#include <algorithm>
#include <cstdio>

#include "tests/device/random_walks.hpp"
#include "tests/support/short_range_sum.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::uint32_t particles = 1 << 20, nodes = 1 << 18, list = 4096, run = 16;

enum class Sources { runs, near_cells, far_cells };

/// Limits relative to the sum of magnitudes: single precision, and sums on tensor cores
/// (tests/device/test_far_cells.cpp).
constexpr double allowed_error = 3e-5;

/// Walks of `targets` targets; lists of cells, or of runs of particles. The first shares its targets with no other.
void fill(Problem& problem, std::uint32_t targets, std::uint32_t walks, Sources sources) {
  const bool cells = sources != Sources::runs;
  std::mt19937_64 random(5);
  problem.batch.clear();
  for (std::uint32_t w = 0; w < walks; ++w) {
    const std::uint32_t first = w == 0 ? 0 : targets + static_cast<std::uint32_t>(random() % (particles - 2 * targets));
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

/// The short-range accelerations by runs of particles, in double precision; magnitudes are those of whole
/// accelerations.
Truth short_range_truth(const Problem& problem, const Walk& walk, std::uint32_t target, const PairLaw& law) {
  Truth result = truth(problem, walk, target, law, false);
  result.sum = {};
  for (std::uint32_t r = 0; r < walk.range_count; ++r) {
    const ParticleRange range = problem.batch.ranges[walk.range_first + r];
    const ForceSum<double> part =
        test::short_range_sum(std::span(problem.position).subspan(range.first, range.count),
                              std::span(problem.mass).subspan(range.first, range.count), problem.position[target], law);
    result.sum.x += part.x;
    result.sum.y += part.y;
    result.sum.z += part.z;
    result.sum.potential += part.potential;
  }
  return result;
}

/// Throws Error if some of the first walk's results are wrong. Cells of split forces are left to the tests.
void check(const Problem& problem, const PairLaw& law, Sources sources) {
  const bool split = law.split.scale > 0;
  if (split && sources != Sources::runs) return;
  const Walk& walk = problem.batch.walks.front();
  Errors worst;
  for (std::uint32_t i = 0; i < walk.target_count; i += walk.target_count / 16 + 1) {
    const Truth exact = split ? short_range_truth(problem, walk, i, law) : truth(problem, walk, i, law, false);
    record_error(worst, exact, law.gravitational_constant, static_cast<Vec3d>(problem.acceleration[i]),
                 problem.potential[i]);
  }
  if (worst.pull <= allowed_error && worst.potential <= allowed_error) return;
  throw Error("forces of " + std::to_string(walk.target_count) + " targets are wrong by " + std::to_string(worst.pull) +
              ", their potential by " + std::to_string(worst.potential));
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
  check(problem, law, sources);
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

int main() try { return multiwalk::device_test::measure(); } catch (const std::exception& error) {
  std::fprintf(stderr, "bench_walk_kernel_rate: %s\n", error.what());
  return 1;
}
