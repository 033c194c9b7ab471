// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU's pair kernel against a scalar double-precision pair loop (-O3 -fno-tree-vectorize), one thread each, same
// run. Must be at least 20 times as fast on AVX-512, 10 times on AVX2, 2 times otherwise; fails if a force is wrong.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "host/base/aligned_buffer.hpp"
#include "host/base/phase_timer.hpp"
#include "host/simd/simd_kernels.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk {
namespace {

constexpr std::size_t sources = 2048;
constexpr std::size_t targets = 256;
constexpr double softening2 = 1e-4;

struct Points {
  std::vector<double> x, y, z, mass;
};

Points random_points(std::size_t n) {
  Points p;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::vector<double>* v : {&p.x, &p.y, &p.z, &p.mass}) v->push_back(drand48());
  }
  return p;
}

#pragma GCC push_options
#pragma GCC optimize("O3", "no-tree-vectorize")
[[gnu::noinline]] void scalar_loop(const Points& j, const Points& i, std::vector<ForceSum<double>>& sums) {
  for (std::size_t t = 0; t < i.x.size(); ++t) {
    double ax = 0, ay = 0, az = 0, potential = 0;
    for (std::size_t s = 0; s < j.x.size(); ++s) {
      const double dx = j.x[s] - i.x[t], dy = j.y[s] - i.y[t], dz = j.z[s] - i.z[t];
      const double ri = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + softening2);
      const double mri = j.mass[s] * ri;
      const double weight = mri * ri * ri;
      ax += weight * dx;
      ay += weight * dy;
      az += weight * dz;
      potential += mri;
    }
    sums[t] = {ax, ay, az, potential};
  }
}
#pragma GCC pop_options

struct Packed {
  AlignedBuffer<float> memory[4];
  PackedSources view{};
  explicit Packed(const Points& p) {
    const std::vector<double>* columns[4] = {&p.x, &p.y, &p.z, &p.mass};
    for (int k = 0; k < 4; ++k) {
      view.particle[k] = memory[k].reserve(sources);
      for (std::size_t s = 0; s < sources; ++s) view.particle[k][s] = static_cast<float>((*columns[k])[s]);
    }
    view.particles = sources;
  }
};

/// Largest relative difference of accelerations and potentials.
double worst_difference(const std::vector<ForceSum<double>>& a, const std::vector<ForceSum<double>>& b) {
  double worst = 0;
  for (std::size_t t = 0; t < a.size(); ++t) {
    const Vec3d exact{b[t].x, b[t].y, b[t].z};
    worst = larger_error(worst, norm(Vec3d{a[t].x, a[t].y, a[t].z} - exact) / norm(exact));
    worst = larger_error(worst, std::fabs(a[t].potential / b[t].potential - 1));
  }
  return worst;
}

int run() {
  const Points j = random_points(sources), i = random_points(targets);
  const Packed packed(j);
  std::vector<Vec3d> position;
  for (std::size_t t = 0; t < targets; ++t) position.push_back({i.x[t], i.y[t], i.z[t]});
  std::vector<ForceSum<double>> exact(targets), fast(targets);
  const double pairs = static_cast<double>(sources * targets);
  bool slow = false, wrong = false;
  for (const SimdKernels* kernels : available_simd_kernels()) {
    double scalar_best = 1e30, simd_best = 1e30;
    for (int repeat = 0; repeat < 30; ++repeat) {
      const double start = wall_time();
      scalar_loop(j, i, exact);
      const double middle = wall_time();
      for (int k = 0; k < 20; ++k) {
        kernels->evaluate(packed.view, {position.data(), targets, {0, 0, 0}},
                          {static_cast<float>(softening2), false, nullptr}, fast.data());
      }
      scalar_best = std::min(scalar_best, middle - start);
      simd_best = std::min(simd_best, (wall_time() - middle) / 20);
    }
    const double ratio = scalar_best / simd_best;
    const double wanted = kernels->width == 16 ? 20 : kernels->width == 8 ? 10 : 2;
    std::printf("%-9s %.3e pairs/s, scalar double %.3e pairs/s: %.1f times (wanted %.0f); results agree to %.1e\n",
                kernels->name.data(), pairs / simd_best, pairs / scalar_best, ratio, wanted,
                worst_difference(fast, exact));
    slow |= ratio < wanted;
    wrong |= worst_difference(fast, exact) > 1e-5;
  }
  constexpr int speed_missed = 77;  // ctest counts it as skipped
  return wrong ? 1 : slow ? speed_missed : 0;
}

}  // namespace
}  // namespace multiwalk

int main() {
  return multiwalk::run();
}
