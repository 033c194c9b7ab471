// Sampling of Aarseth, Henon & Wielen (1974), A&A 37, 183, appendix; random numbers keyed by particle.
#include "ic/plummer.hpp"

#include <cmath>
#include <numbers>

#include "ic/isolated.hpp"

namespace multiwalk {

namespace {

constexpr std::uint64_t stream = 1;
constexpr double scale = 3 * std::numbers::pi / 16;
constexpr double mass_fraction = 0.999;

double sample_radius(std::uint64_t word) {
  const double enclosed = mass_fraction * uniform_open_below(word);
  return scale / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1);
}

/// Speed over escape speed from g(q) = q^2 (1 - q^2)^(7/2), whose maximum is below 0.1, by rejection.
double sample_speed_ratio(std::uint64_t particle, std::uint64_t seed) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    const RandomWords words = philox({particle, 1, attempt, 0}, seed, stream);
    const double q = uniform_open_above(words[0]);
    if (0.1 * uniform_open_above(words[1]) < q * q * std::pow(1 - q * q, 3.5)) return q;
  }
}

/// Shifts positions and velocities so that the means (equal masses) vanish.
void remove_mean(ParticleStore& particles) {
  Vec3d position;
  Vec3d velocity;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    position += particles.position[p];
    velocity += Vec3d(particles.velocity[p]);
  }
  const double weight = 1 / static_cast<double>(particles.size());
  for (std::size_t p = 0; p < particles.size(); ++p) {
    particles.position[p] -= position * weight;
    particles.velocity[p] = Vec3f(Vec3d(particles.velocity[p]) - velocity * weight);
  }
}

}  // namespace

ParticleSystem make_plummer(std::uint64_t particles, std::uint64_t seed) {
  ParticleSystem system = isolated_system(particles);
  ParticleStore& store = system.particles;
#pragma omp parallel for schedule(static)
  for (std::uint64_t p = 0; p < particles; ++p) {
    const RandomWords place = philox({p, 0, 0, 0}, seed, stream);
    const RandomWords direction = philox({p, 2, 0, 0}, seed, stream);
    const double radius = sample_radius(place[0]);
    const double escape = std::numbers::sqrt2 / std::pow(radius * radius + scale * scale, 0.25);
    store.position[p] = isotropic(radius, place[1], place[2]);
    store.velocity[p] = Vec3f(isotropic(sample_speed_ratio(p, seed) * escape, direction[0], direction[1]));
  }
  remove_mean(store);
  set_bounding_side(system);
  return system;
}

}  // namespace multiwalk
