// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of Newtonian models.
#include "ic/isolated/isolated.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "decomposition/ranks/agree.hpp"

namespace multiwalk {

namespace {

struct Share {
  std::uint64_t first, count;
};

/// The ids of a rank. Throws SharedError if there are none at all.
Share share_of(std::uint64_t n, const Communicator& comm) {
  if (n == 0) throw SharedError("model.particles must be at least 1");
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  return {n / ranks * rank + std::min(rank, n % ranks), n / ranks + (rank < n % ranks ? 1 : 0)};
}

}  // namespace

ParticleSystem isolated_system(std::uint64_t particles, const Communicator& comm) {
  const Share share = share_of(particles, comm);
  ParticleSystem system;
  system.frame = Frame::newtonian;
  system.boundary = Boundary::vacuum;
  system.time = 0;
  ParticleStore& store = system.particles;
  collectively(comm, [&] { store.resize(share.count); });
  std::fill(store.mass.begin(), store.mass.end(), static_cast<float>(1.0 / static_cast<double>(particles)));
  std::iota(store.id.begin(), store.id.end(), share.first);
  return system;
}

Bodies isolated_bodies(std::uint64_t bodies, const Communicator& comm) {
  const Share share = share_of(bodies, comm);
  Bodies made;
  collectively(comm, [&] { made.resize(share.count); });
  std::fill(made.mass.begin(), made.mass.end(), 1.0 / static_cast<double>(bodies));
  std::iota(made.id.begin(), made.id.end(), share.first);
  return made;
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
