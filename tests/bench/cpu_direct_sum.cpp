// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation on the SIMD units against the scalar double-precision loop, one thread each, same run: pairs per
// second of every law and precision, and of the few targets of a block step. Acceleration and potential in mixed single
// precision must be at least 20 times as fast on AVX-512, 10 times on AVX2, 2 times otherwise. Fails if a sum is wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "host/base/phase_timer.hpp"
#include "host/direct/direct_backend.hpp"
#include "host/simd/simd_kernels.hpp"
#include "tests/support/larger_error.hpp"

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

/// Errors of a cluster's first targets: accelerations, potentials, and jerks relative to their rms.
double worst_difference(const Cluster& found, const Cluster& exact, std::size_t targets, bool jerk) {
  double worst = 0, jerk2 = 0;
  for (std::size_t i = 0; i < targets; ++i) {
    worst = larger_error(worst, norm(found.acceleration[i] - exact.acceleration[i]) / norm(exact.acceleration[i]));
    worst = larger_error(worst, std::fabs(found.potential[i] / exact.potential[i] - 1));
    jerk2 += norm2(exact.jerk[i]) / static_cast<double>(targets);
  }
  for (std::size_t i = 0; jerk && i < targets; ++i) {
    worst = larger_error(worst, norm(found.jerk[i] - exact.jerk[i]) / std::sqrt(jerk2));
  }
  return worst;
}

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

struct Case {
  DirectPrecision precision;
  const char* name;
  double error;       ///< allowed of accelerations and potentials
  double jerk_error;  ///< allowed where jerks are summed too
};
constexpr Case cases[] = {{{Accumulation::plain, Splitting::single}, "plain", 2e-5, 3e-4},
                          {{Accumulation::chamomile, Splitting::single}, "chamomile", 2e-5, 3e-4},
                          {{Accumulation::compensated, Splitting::single}, "compensated", 2e-5, 3e-4},
                          {{Accumulation::mixed, Splitting::single}, "mixed single", 2e-5, 3e-4},
                          {{Accumulation::mixed, Splitting::hi_lo}, "mixed hi/lo", 1e-5, 3e-5},
                          {{Accumulation::full, Splitting::hi_lo}, "full", 1e-12, 1e-12}};
constexpr std::size_t judged = 3, of_block_steps = 4, in_full = 5;

constexpr int wrong = 1, speed_missed = 77;  // ctest counts the latter as skipped

/// The more serious of two outcomes.
int graver(int a, int b) {
  return a == wrong || b == wrong ? wrong : std::max(a, b);
}

int rates(const SimdKernels& kernels) {
  constexpr std::size_t n = 2048;
  Cluster cluster(n), exact(n);
  const auto scalar = make_scalar_direct_backend(), simd = make_simd_direct_backend(1, kernels.name);
  const double wanted = kernels.width == 16 ? 20 : kernels.width == 8 ? 10 : 2;
  int outcome = 0;
  for (const bool jerk : {false, true}) {
    scalar->sum(exact.task(n, jerk, {}));
    std::printf("%s, %zu bodies, %s:\n", kernels.name.data(), n, jerk ? "jerk and potential" : "potential");
    for (const Case& c : cases) {
      double slow = 1e30, fast = 1e30;
      for (int r = 0; r < 4; ++r) {
        slow = std::min(slow, seconds(*scalar, cluster.task(n / 8, jerk, {}), 1) * 8);
        fast = std::min(fast, seconds(*simd, cluster.task(n, jerk, c.precision), 4));
      }
      const double pairs = static_cast<double>(n * n), error = worst_difference(cluster, exact, n, jerk);
      std::printf("  %-13s %.3e pairs/s, %5.1f times the scalar loop's %.3e; errors up to %.1e\n", c.name, pairs / fast,
                  slow / fast, pairs / slow, error);
      if (!(error <= (jerk ? c.jerk_error : c.error))) outcome = wrong;
      if (&c == &cases[judged] && !jerk && slow / fast < wanted) outcome = graver(outcome, speed_missed);
    }
  }
  return outcome;
}

int few_targets(const SimdKernels& kernels) {
  constexpr std::size_t n = 1024;
  Cluster cluster(n), exact(n);
  const auto simd = make_simd_direct_backend(1, kernels.name);
  make_scalar_direct_backend()->sum(exact.task(n, true, {}));
  int outcome = 0;
  const auto timed = [&](std::size_t targets, const Case& c) {
    const double best = seconds(*simd, cluster.task(targets, true, c.precision), 200);
    if (!(worst_difference(cluster, exact, targets, true) <= c.jerk_error)) outcome = wrong;
    return 1e6 * best;
  };
  std::printf("%s, microseconds with %zu sources, jerk, mixed hi/lo (full):", kernels.name.data(), n);
  for (const std::size_t targets : {1UL, 4UL, 16UL, 32UL}) {
    std::printf("  %zu: %.1f (%.1f)", targets, timed(targets, cases[of_block_steps]), timed(targets, cases[in_full]));
  }
  std::printf("\n");
  return outcome;
}

int run() {
  int outcome = 0;
  for (const SimdKernels* kernels : available_simd_kernels()) {
    outcome = graver(outcome, rates(*kernels));
    outcome = graver(outcome, few_targets(*kernels));
  }
  return outcome;
}

}  // namespace
}  // namespace multiwalk

int main() {
  return multiwalk::run();
}
