// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation on the SIMD units against the scalar double-precision loop, one thread each, same run: pairs per
// second of every law and precision, and of the few targets of a block step. Acceleration and potential in mixed single
// precision must be at least 20 times as fast on AVX-512, 10 times on AVX2, 2 times otherwise.
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/direct/direct_backend.hpp"
#include "host/simd/simd_kernels.hpp"

namespace multiwalk {
namespace {

struct Cluster {
  std::vector<Vec3d> position, velocity, acceleration, jerk;
  std::vector<double> mass, potential;

  explicit Cluster(std::size_t n) : acceleration(n), jerk(n), mass(n, 1.0 / static_cast<double>(n)), potential(n) {
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    for (std::vector<Vec3d>* points : {&position, &velocity}) {
      for (std::size_t i = 0; i < n; ++i) points->push_back({normal(engine), normal(engine), normal(engine)});
    }
  }

  DirectTask task(std::size_t targets, bool with_jerk, DirectPrecision precision) {
    DirectTask t;
    t.source_position = position;
    t.source_mass = mass;
    t.target_position = std::span(position).first(targets);
    t.target_mass = std::span(mass).first(targets);
    t.acceleration = std::span(acceleration).first(targets);
    t.potential = std::span(potential).first(targets);
    t.softening2 = 1e-4;
    t.precision = precision;
    if (with_jerk) {
      t.source_velocity = velocity;
      t.target_velocity = std::span(velocity).first(targets);
      t.jerk = std::span(jerk).first(targets);
    }
    return t;
  }
};

/// Shortest of several times.
double seconds(DirectBackend& backend, const DirectTask& task, int repeats) {
  double best = 1e30;
  for (int r = 0; r < repeats; ++r) {
    const double start = wall_time();
    backend.sum(task);
    best = std::min(best, wall_time() - start);
  }
  return best;
}

constexpr DirectPrecision precisions[] = {
    {Accumulation::plain, Splitting::single},       {Accumulation::chamomile, Splitting::single},
    {Accumulation::compensated, Splitting::single}, {Accumulation::mixed, Splitting::single},
    {Accumulation::mixed, Splitting::hi_lo},        {Accumulation::full, Splitting::hi_lo}};
constexpr const char* precision_names[] = {"plain", "chamomile", "compensated", "mixed single", "mixed hi/lo", "full"};

constexpr int speed_missed = 77;  // ctest counts it as skipped

int rates(const SimdKernels& kernels) {
  constexpr std::size_t n = 2048;
  Cluster cluster(n);
  const auto scalar = make_scalar_direct_backend(), simd = make_simd_direct_backend(1, kernels.name);
  const double wanted = kernels.width == 16 ? 20 : kernels.width == 8 ? 10 : 2;
  bool slow_one = false;
  for (const bool jerk : {false, true}) {
    std::printf("%s, %zu bodies, %s:\n", kernels.name.data(), n, jerk ? "jerk and potential" : "potential");
    for (std::size_t p = 0; p < std::size(precisions); ++p) {
      double slow = 1e30, fast = 1e30;
      for (int r = 0; r < 4; ++r) {
        slow = std::min(slow, seconds(*scalar, cluster.task(n / 8, jerk, {}), 1) * 8);
        fast = std::min(fast, seconds(*simd, cluster.task(n, jerk, precisions[p]), 4));
      }
      const double pairs = static_cast<double>(n * n);
      std::printf("  %-13s %.3e pairs/s, %5.1f times the scalar loop's %.3e\n", precision_names[p], pairs / fast,
                  slow / fast, pairs / slow);
      slow_one |= p == 3 && !jerk && slow / fast < wanted;
    }
  }
  return slow_one ? speed_missed : 0;
}

void few_targets(const SimdKernels& kernels) {
  constexpr std::size_t n = 1024;
  Cluster cluster(n);
  const auto simd = make_simd_direct_backend(1, kernels.name);
  std::printf("%s, microseconds with %zu sources, jerk, mixed hi/lo (full):", kernels.name.data(), n);
  for (const std::size_t targets : {1UL, 4UL, 16UL, 32UL}) {
    std::printf("  %zu: %.1f (%.1f)", targets, 1e6 * seconds(*simd, cluster.task(targets, true, precisions[4]), 200),
                1e6 * seconds(*simd, cluster.task(targets, true, precisions[5]), 200));
  }
  std::printf("\n");
}

int run() {
  int missed = 0;
  for (const SimdKernels* kernels : available_simd_kernels()) {
    missed = std::max(missed, rates(*kernels));
    few_targets(*kernels);
  }
  return missed;
}

}  // namespace
}  // namespace multiwalk

int main() {
  return multiwalk::run();
}
