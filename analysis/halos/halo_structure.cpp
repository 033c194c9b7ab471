// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/halos/halo_structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "host/base/hash.hpp"
#include "host/base/units.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_summed = 1000;
constexpr double peak_radius = 2.1625816;  ///< of an NFW profile's circular velocity, in scale radii

/// Mass of an NFW profile within x scale radii, in units of 4 pi rho_s r_s^3.
double nfw_mass(double x) {
  return std::log1p(x) - x / (1 + x);
}

struct PairMasses {
  double mass = 0, squares = 0;

  void add(double m) {
    mass += m;
    squares += m * m;
  }
  /// The product of masses, summed over all pairs.
  [[nodiscard]] double pairs() const { return (mass * mass - squares) / 2; }
};

/// Particles whose potentials are summed together.
constexpr std::size_t targets_at_once = 16;

/// Padded to a multiple of targets_at_once with particles that have no mass.
struct Columns {
  std::vector<float> x, y, z, m;

  explicit Columns(std::span<const SphereSample> particles) {
    const std::size_t n = (particles.size() + targets_at_once - 1) / targets_at_once * targets_at_once;
    for (std::vector<float>* column : {&x, &y, &z, &m}) column->resize(n);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      x[i] = particles[i].place.x;
      y[i] = particles[i].place.y;
      z[i] = particles[i].place.z;
      m[i] = static_cast<float>(particles[i].mass);
    }
  }
};

/// At [t] the sum of m / distance at particle first + t over all particles before it, in their order. Pairs at the same
/// place are left out.
std::array<float, targets_at_once> sum_potentials(const Columns& p, std::size_t first) {
  std::array<float, targets_at_once> sum{};
  const float *x = &p.x[first], *y = &p.y[first], *z = &p.z[first];
  for (std::size_t j = 0; j < first + targets_at_once; ++j) {
    const std::size_t after = j < first ? 0 : j - first + 1;  // the first target that j acts on
    const float sx = p.x[j], sy = p.y[j], sz = p.z[j], m = p.m[j];
#pragma omp simd
    for (std::size_t t = 0; t < targets_at_once; ++t) {
      const float dx = sx - x[t], dy = sy - y[t], dz = sz - z[t];
      const float square = dx * dx + dy * dy + dz * dz;
      const bool acts = square > 0 && t >= after;
      sum[t] += (acts ? m : 0.0F) / std::sqrt(acts ? square : 1.0F);
    }
  }
  return sum;
}

/// Sum over pairs of m m' / distance.
double pair_sum(std::span<const SphereSample> particles) {
  const Columns p(particles);
  double sum = 0;
  for (std::size_t first = 0; first < p.x.size(); first += targets_at_once) {
    const std::array<float, targets_at_once> potential = sum_potentials(p, first);
    for (std::size_t t = 0; t < targets_at_once; ++t)
      sum += static_cast<double>(p.m[first + t]) * static_cast<double>(potential[t]);
  }
  return sum;
}

/// The sum over pairs of m m' / distance, from a sample if there are many.
double estimated_pair_sum(std::span<const SphereSample> inside) {
  if (inside.size() <= most_summed) return pair_sum(inside);
  std::vector<SphereSample> drawn(inside.begin(), inside.end());
  const auto last = drawn.begin() + most_summed;
  std::nth_element(drawn.begin(), last, drawn.end(),
                   [](const SphereSample& a, const SphereSample& b) { return mix_bits(a.id) < mix_bits(b.id); });
  drawn.erase(last, drawn.end());
  PairMasses all, of_drawn;
  for (const SphereSample& p : inside) all.add(p.mass);
  for (const SphereSample& p : drawn) of_drawn.add(p.mass);
  return of_drawn.pairs() > 0 ? pair_sum(drawn) * all.pairs() / of_drawn.pairs() : 0;
}

}  // namespace

HaloSpin measure_spin(std::span<const SphereSample> inside, const SphericalMass& sphere, double a, double hubble) {
  HaloSpin spin;
  if (!(sphere.mass > 0) || !(sphere.radius > 0)) return spin;
  Vec3d mean;
  for (const SphereSample& p : inside) mean += (p.mass / (a * sphere.mass)) * static_cast<Vec3d>(p.momentum);
  double kinetic = 0;
  for (const SphereSample& p : inside) {
    const Vec3d place = a * static_cast<Vec3d>(p.place), velocity = (1 / a) * static_cast<Vec3d>(p.momentum) - mean;
    spin.specific += (p.mass / sphere.mass) * cross(place, velocity);
    kinetic += 0.5 * p.mass * norm2(velocity + hubble * place);
  }
  constexpr double G = units::gravitational_constant;
  const double energy = kinetic - G / a * estimated_pair_sum(inside);
  const double j = norm(spin.specific), radius = a * sphere.radius;
  spin.peebles = j * std::sqrt(std::fabs(energy)) / (G * std::pow(sphere.mass, 1.5));
  spin.bullock = j / std::sqrt(2 * G * sphere.mass * radius);
  return spin;
}

double nfw_concentration(double ratio) {
  const double scale = nfw_mass(peak_radius) / peak_radius;
  const auto too_low = [&](double c) { return scale * c / nfw_mass(c) < ratio * ratio; };
  double low = peak_radius, high = peak_radius;
  while (too_low(high) && high < 1e6) high *= 2;
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (too_low(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace multiwalk
