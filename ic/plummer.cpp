// Sampling of Aarseth, Henon & Wielen (1974), A&A 37, 183, appendix; random numbers keyed by particle.
#include "ic/plummer.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "decomposition/exact_sum.hpp"
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

/// Over all ranks.
template <class T>
Vec3d exact_sum(const ParticleArray<Vec3<T>>& vectors, const Communicator& comm) {
  ExactSum x;
  ExactSum y;
  ExactSum z;
#pragma omp declare reduction(+ : ExactSum : omp_out += omp_in)
#pragma omp parallel for schedule(static) reduction(+ : x, y, z)
  for (const Vec3<T>& vector : vectors) {
    x.add(vector.x);
    y.add(vector.y);
    z.add(vector.z);
  }
  return {x.total(comm), y.total(comm), z.total(comm)};
}

/// Shifts positions and velocities so that the means over all `n` particles (equal masses) vanish.
void remove_mean(ParticleStore& particles, std::uint64_t n, const Communicator& comm) {
  const Vec3d centre = exact_sum(particles.position, comm) * (1 / static_cast<double>(n));
  const Vec3d drift = exact_sum(particles.velocity, comm) * (1 / static_cast<double>(n));
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < particles.size(); ++p) {
    particles.position[p] -= centre;
    particles.velocity[p] = Vec3f(Vec3d(particles.velocity[p]) - drift);
  }
}

}  // namespace

ParticleSystem make_plummer(std::uint64_t particles, std::uint64_t seed, const Communicator& comm) {
  ParticleSystem system = isolated_system(particles, comm);
  ParticleStore& store = system.particles;
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < store.size(); ++p) {
    const std::uint64_t id = store.id[p];
    const RandomWords place = philox({id, 0, 0, 0}, seed, stream);
    const RandomWords direction = philox({id, 2, 0, 0}, seed, stream);
    const double radius = sample_radius(place[0]);
    const double escape = std::numbers::sqrt2 / std::pow(radius * radius + scale * scale, 0.25);
    store.position[p] = isotropic(radius, place[1], place[2]);
    store.velocity[p] = Vec3f(isotropic(sample_speed_ratio(id, seed) * escape, direction[0], direction[1]));
  }
  remove_mean(store, particles, comm);
  set_bounding_side(system, comm);
  return system;
}

}  // namespace multiwalk
