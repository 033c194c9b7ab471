// SPDX-License-Identifier: GPL-3.0-or-later
// Positions and momenta of all orders against sums of products of plane waves, made without meshes or transforms.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <numbers>

#include "ic/lpt/displacement.hpp"

namespace multiwalk {
namespace {

using Complex = std::complex<double>;
using Index = std::array<int, 3>;
using Waves = std::map<Index, Complex>;                       ///< amplitudes of exp(i k.q), k = 2 pi n / box
using VectorWaves = std::map<Index, std::array<Complex, 3>>;  ///< the same of a vector

constexpr std::uint32_t mesh_cells = 14;
constexpr double box_of_waves = 7;

Vec3d vector_of(const Index& n) {
  return {double(n[0]), double(n[1]), double(n[2])};
}
Index operator+(const Index& a, const Index& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Waves with |n_i| <= 2: products of three lie below the Nyquist wavenumber of 14 cells.
Waves waves_of_delta() {
  Waves delta;
  const Index some[] = {{1, 0, 1}, {-2, 1, 1}, {0, 2, 1}, {1, -1, 2}, {2, 2, 1}};
  double phase = 0.3, amplitude = 0.3;
  for (const Index& n : some) {
    delta[n] = std::polar(amplitude, phase);
    delta[{-n[0], -n[1], -n[2]}] = std::polar(amplitude, -phase);
    phase += 1.9;
    amplitude *= 1.3;
  }
  return delta;
}

/// 1 - cos^2 of the angle between two waves.
double square_of_sine(const Vec3d& a, const Vec3d& b) {
  const double along = dot(a, b);
  return norm2(a) > 0 && norm2(b) > 0 ? 1 - along * along / (norm2(a) * norm2(b)) : 0;
}

/// lap phi2 of one field, or with halves of two: half of (tr tr - T:T').
Waves tidal_product(const Waves& one, const Waves& two) {
  Waves product;
  for (const auto& [k, a] : one) {
    for (const auto& [l, b] : two) product[k + l] += 0.5 * square_of_sine(vector_of(k), vector_of(l)) * a * b;
  }
  return product;
}

/// The determinant: a sixth of the squared volumes that triples of unit wave vectors span.
Waves determinants(const Waves& delta) {
  Waves product;
  for (const auto& [k, a] : delta) {
    for (const auto& [l, b] : delta) {
      for (const auto& [m, c] : delta) {
        const Vec3d u = vector_of(k), v = vector_of(l), w = vector_of(m);
        const double volume = dot(u, cross(v, w));
        product[k + l + m] += volume * volume / (6 * norm2(u) * norm2(v) * norm2(w)) * a * b * c;
      }
    }
  }
  return product;
}

/// grad lap^-1 of a source, in units of box / 2 pi.
VectorWaves gradient(const Waves& source) {
  VectorWaves field;
  for (const auto& [k, a] : source) {
    const Vec3d n = vector_of(k);
    for (int i = 0; i < 3 && norm2(n) > 0; ++i) field[k][i] = Complex(0, -n[i] / norm2(n)) * a;
  }
  return field;
}

/// curl lap^-1 of eps_ijk phi1,lj phi2,lk.
VectorWaves transverse_field(const Waves& delta, const Waves& second) {
  std::map<Index, std::array<Complex, 3>> source;
  for (const auto& [k, a] : delta) {
    for (const auto& [l, b] : second) {
      const Vec3d n = vector_of(k), m = vector_of(l), normal = cross(n, m);
      if (norm2(m) == 0) continue;
      for (int i = 0; i < 3; ++i) source[k + l][i] += dot(n, m) * normal[i] / (norm2(n) * norm2(m)) * a * b;
    }
  }
  VectorWaves field;
  for (const auto& [k, a] : source) {
    const Vec3d n = vector_of(k);
    for (int i = 0; i < 3 && norm2(n) > 0; ++i) {
      const int u = (i + 1) % 3, v = (i + 2) % 3;
      field[k][i] = Complex(0, -1 / norm2(n)) * (n[u] * a[v] - n[v] * a[u]);
    }
  }
  return field;
}

Vec3d value_at(const VectorWaves& field, Vec3d q) {
  Vec3d sum;
  for (const auto& [k, a] : field) {
    const Complex wave = std::polar(1.0, 2 * std::numbers::pi / box_of_waves * dot(vector_of(k), q));
    for (int i = 0; i < 3; ++i) sum[i] += (a[i] * wave).real();
  }
  return sum * (box_of_waves / (2 * std::numbers::pi));
}

PencilMesh mesh_of(const Waves& waves) {
  PencilMesh mesh({}, mesh_cells);
  for (const auto& [n, a] : waves) {
    if (n[2] > 0) mesh.mode(mesh.index(n[0]), mesh.index(n[1]), static_cast<std::uint32_t>(n[2])) = a;
  }
  return mesh;
}

/// Factors of first, second, determinant, mixed and transverse displacements.
using Factors = std::array<LptTerm, 5>;

/// Largest deviations of the load's particles, and the largest displacement and momentum.
struct Deviation {
  double position = 0, momentum = 0, way = 0, speed = 0;
};

class PlaneWaves : public testing::TestWithParam<int> {
 protected:
  Deviation deviation(const Factors& f) {
    const Load load = lattice_load(mesh_cells, {box_of_waves}, GetParam());
    ParticleStore particles;
    displace(mesh_of(delta_), {-f[0].position, f[1].position, -f[0].momentum, f[1].momentum, f[2], f[3], f[4]}, load,
             particles);
    EXPECT_EQ(particles.size(), load.site.size());
    Deviation worst;
    for (std::size_t p = 5; p < particles.size(); p += 97) {
      Vec3d shift, momentum;
      for (std::size_t term = 0; term < f.size(); ++term) {
        const Vec3d field = value_at(fields_[term], load.position(p));
        shift += f[term].position * field;
        momentum += f[term].momentum * field;
      }
      worst.position = std::fmax(worst.position, norm(particles.position[p] - load.position(p) - shift));
      worst.momentum = std::fmax(worst.momentum, norm(Vec3d(particles.velocity[p]) - momentum));
      worst.way = std::fmax(worst.way, norm(shift));
      worst.speed = std::fmax(worst.speed, norm(momentum));
    }
    return worst;
  }

 private:
  Waves delta_ = waves_of_delta(), second_ = tidal_product(delta_, delta_);
  std::array<VectorWaves, 5> fields_{gradient(delta_), gradient(second_), gradient(determinants(delta_)),
                                     gradient(tidal_product(delta_, second_)), transverse_field(delta_, second_)};
};

TEST_P(PlaneWaves, EveryTermMovesAndPushes) {
  const Factors all{{{0.7, -3}, {-0.3, 1.1}, {0.5, -2.3}, {-0.4, 1.9}, {0.6, -0.8}}};
  for (std::size_t term = 0; term < all.size(); ++term) {
    SCOPED_TRACE(term);
    Factors moves{}, pushes{};
    moves[term].position = all[term].position;
    pushes[term].momentum = all[term].momentum;
    const Deviation moved = deviation(moves), pushed = deviation(pushes);
    EXPECT_GT(moved.way, 0.05);
    EXPECT_LT(moved.position, 1e-14 * box_of_waves);
    EXPECT_EQ(moved.momentum, 0);
    EXPECT_GT(pushed.speed, 0.05);
    EXPECT_LT(pushed.momentum, 1e-7 * pushed.speed);
    EXPECT_EQ(pushed.position, 0);
    std::printf("term %zu: %.1e of a way of %.2g, %.1e of a momentum of %.2g\n", term, moved.position, moved.way,
                pushed.momentum, pushed.speed);
  }
  const Deviation sum = deviation(all);
  std::printf("all terms: %.1e, %.1e of %.2g\n", sum.position, sum.momentum, sum.speed);
  EXPECT_LT(sum.position, 1e-14 * box_of_waves);
  EXPECT_LT(sum.momentum, 3e-7 * sum.speed);
}

INSTANTIATE_TEST_SUITE_P(Lattices, PlaneWaves, testing::Values(1, 2));

}  // namespace
}  // namespace multiwalk
