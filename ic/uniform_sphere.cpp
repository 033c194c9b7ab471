// Cold uniform sphere; random numbers keyed by particle.
#include "ic/uniform_sphere.hpp"

#include <cmath>
#include <numbers>

#include "host/base/error.hpp"
#include "ic/isolated.hpp"

namespace multiwalk {

namespace {
constexpr std::uint64_t stream = 2;
}

ParticleSystem make_uniform_sphere(std::uint64_t particles, double radius, std::uint64_t seed) {
  if (!(radius > 0)) throw InputError("model.radius must be positive");
  ParticleSystem system = isolated_system(particles);
#pragma omp parallel for schedule(static)
  for (std::uint64_t p = 0; p < particles; ++p) {
    const RandomWords words = philox({p, 0, 0, 0}, seed, stream);
    system.particles.position[p] = isotropic(radius * std::cbrt(uniform_open_below(words[0])), words[1], words[2]);
  }
  set_bounding_side(system);
  system.sphere_radius = radius;
  system.spacing = radius * std::cbrt(4 * std::numbers::pi / 3 / static_cast<double>(particles));
  return system;
}

}  // namespace multiwalk
