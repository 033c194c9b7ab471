// SPDX-License-Identifier: GPL-3.0-or-later
// Halos in equilibrium at any epoch, whose properties are known: truncated Plummer spheres in physical coordinates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "host/base/separation.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk::test {

/// The epoch, worked out here: flat LCDM with the default densities.
struct Epoch {
  double a = 1;

  [[nodiscard]] double hubble() const { return 100 * std::sqrt(0.3111 / (a * a * a) + 0.6889); }  ///< km/s per Mpc/h
  [[nodiscard]] double critical_density() const {                                                 ///< physical
    return 3 * hubble() * hubble() / (8 * std::numbers::pi * 43.0092);
  }
};

/// A particle of a comoving system, with its peculiar velocity.
struct PlantedBody {
  std::uint64_t id = 0;
  Vec3d x, v;
  double mass = 0;
};

/// A particle at rest in the centre, which is therefore the most bound, and pairs of particles opposite to each other,
/// so that the centre of mass and the mean velocity are exact.
struct PlantedHalo {
  std::size_t n = 1001;  ///< odd
  double mass = 1000;    ///< 1e10 Msun/h
  double scale = 0.05;   ///< physical Mpc/h: Plummer's; the sphere ends at 4 of them
  Vec3d centre = {};     ///< comoving Mpc/h
  Vec3d velocity = {};   ///< peculiar km/s
  std::uint64_t first_id = 0, seed = 1;
  Vec3d axis = {};  ///< of length 1: all particles turn one way about it

  static constexpr double edge = 4;
  /// The part of an infinite sphere's mass within s scales.
  static double part(double s) { return std::pow(s * s / (1 + s * s), 1.5); }

  [[nodiscard]] double mass_within(double r) const {  ///< physical
    return mass * std::min(1.0, part(r / scale) / part(edge));
  }
  [[nodiscard]] double v_max() const {  ///< at sqrt(2) scales
    return std::sqrt(43.0092 * mass / part(edge) * 2 / std::pow(3, 1.5) / scale);
  }
  [[nodiscard]] double half_mass_radius() const { return radius_of(0.5); }  ///< physical
  /// The physical radius in which the mean density is this multiple of `density`.
  [[nodiscard]] double radius_of_density(double density) const {
    double low = 0, high = std::cbrt(mass / density);
    for (int k = 0; k < 60; ++k) {
      const double r = 0.5 * (low + high);
      (mass_within(r) > 4 * std::numbers::pi / 3 * density * r * r * r ? low : high) = r;
    }
    return low;
  }
  [[nodiscard]] double escape_velocity(double r) const {  ///< r physical, inside
    const auto plummer = [&](double s) { return 1 / (part(edge) * std::sqrt(1 + s * s)); };
    return std::sqrt(2 * 43.0092 * mass / scale * (plummer(r / scale) - plummer(edge) + 1 / edge));
  }

  [[nodiscard]] std::vector<PlantedBody> bodies(const Epoch& epoch) const {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal(0, 1);
    const double each = mass / static_cast<double>(n);
    std::vector<PlantedBody> bodies{{first_id, centre, velocity, each}};
    const auto add = [&](const Vec3d& r, const Vec3d& u) {
      bodies.push_back({first_id + bodies.size(), centre + (1 / epoch.a) * r, velocity + u - epoch.hubble() * r, each});
    };
    for (std::size_t pair = 0; pair < n / 2; ++pair) {
      const double r = radius_of((2.0 * static_cast<double>(pair) + 1.5) / static_cast<double>(n));
      const Vec3d along{normal(engine), normal(engine), normal(engine)};
      const double sigma = std::sqrt(43.0092 * mass / 6 / std::hypot(r, scale)), fastest = 0.8 * escape_velocity(r);
      Vec3d place = (r / norm(along)) * along, u = sigma * Vec3d{normal(engine), normal(engine), normal(engine)};
      if (norm(u) > fastest) u *= fastest / norm(u);
      if (dot(cross(place, u), axis) < 0) u *= -1.0;
      add(place, u);
      add(-1.0 * place, -1.0 * u);
    }
    return bodies;
  }

  /// Angular momentum over mass, physical Mpc/h km/s, of these bodies about the centre.
  [[nodiscard]] Vec3d spin(const Epoch& epoch) const {
    Vec3d sum;
    for (const PlantedBody& b : bodies(epoch)) {
      const Vec3d r = epoch.a * (b.x - centre);
      sum += cross(r, b.v + epoch.hubble() * r);
    }
    return (1 / static_cast<double>(n)) * sum;
  }

 private:
  [[nodiscard]] double radius_of(double fraction) const {
    const double s = std::pow(fraction * part(edge), 2.0 / 3);
    return scale * std::sqrt(s / (1 - s));
  }
};

inline std::vector<PlantedBody> together(std::vector<PlantedBody> a, const std::vector<PlantedBody>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// In a periodic box of this side or, with side 0, in a vacuum. Velocities become canonical momenta over mass.
inline ParticleSystem comoving_system(const std::vector<PlantedBody>& bodies, const Epoch& epoch, double side,
                                      double spacing) {
  ParticleSystem system;
  system.time = epoch.a;
  system.boundary = side > 0 ? Boundary::periodic : Boundary::vacuum;
  system.box_size = side;
  system.spacing = spacing;
  system.particles.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    system.particles.position[i] = wrapped(bodies[i].x, side);
    system.particles.velocity[i] = static_cast<Vec3f>(epoch.a * bodies[i].v);
    system.particles.mass[i] = static_cast<float>(bodies[i].mass);
    system.particles.id[i] = bodies[i].id;
    system.particles.work[i] = 1;
  }
  return system;
}

}  // namespace multiwalk::test
