// Common parts of Newtonian models.
#include "ic/isolated.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "decomposition/agree.hpp"

namespace multiwalk {

namespace {

std::uint64_t first_of_share(std::uint64_t n, int rank, int ranks) {
  const auto r = static_cast<std::uint64_t>(rank);
  const auto all = static_cast<std::uint64_t>(ranks);
  return n / all * r + std::min(r, n % all);
}

}  // namespace

ParticleSystem isolated_system(std::uint64_t particles, const Communicator& comm) {
  if (particles == 0) throw SharedError("model.particles must be at least 1");
  const std::uint64_t first = first_of_share(particles, comm.rank(), comm.size());
  const std::uint64_t end = first_of_share(particles, comm.rank() + 1, comm.size());
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.boundary = Boundary::vacuum;
  system.time = 0;
  ParticleStore& store = system.particles;
  together(comm, [&] { store.resize(end - first); });
  std::fill(store.mass.begin(), store.mass.end(), static_cast<float>(1.0 / static_cast<double>(particles)));
  std::iota(store.id.begin(), store.id.end(), first);
  return system;
}

Vec3d isotropic(double length, std::uint64_t word0, std::uint64_t word1) {
  const double cosine = 2 * uniform_open_above(word0) - 1;
  const double sine = std::sqrt(1 - cosine * cosine);
  const double azimuth = 2 * std::numbers::pi * uniform_open_above(word1);
  return Vec3d{sine * std::cos(azimuth), sine * std::sin(azimuth), cosine} * length;
}

void set_bounding_side(ParticleSystem& system, const Communicator& comm) {
  double reach = 0;
  for (const Vec3d& x : system.particles.position) {
    for (int axis = 0; axis < 3; ++axis) reach = std::max(reach, std::fabs(x[axis]));
  }
  system.box_size = 2 * comm.max(reach) * (1 + 1e-9);
}

}  // namespace multiwalk
