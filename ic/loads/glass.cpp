// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/loads/glass.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <span>

#include "decomposition/mesh/long_range_mesh.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/force/simd_backend.hpp"
#include "host/particles/particle_store.hpp"
#include "host/solver/gravity_solver.hpp"
#include "ic/fields/random.hpp"

namespace multiwalk {

namespace {

/// Split of the forces in cells of the mesh, and cut-off in scales of the split: errors of 1e-4 of a pair's force.
constexpr double split = 1.4, cutoff = 6.3;

/// A step in psi, the fraction of the previous step that it keeps, and the longest step in spacings.
constexpr double push = 3.2, keep = 0.8, longest_step = 0.25;

/// Gravity of unit mass in the periodic unit cube, G = 1.
class UnitCubeGravity {
 public:
  explicit UnitCubeGravity(std::uint32_t side)
      : backend_(make_simd_backend()), solver_(walks(), *backend_), mesh_(mesh_options(side), *backend_) {
    law_.box_size = 1;
    law_.split = {split / mesh_cells(side), cutoff * split / mesh_cells(side)};
  }
  void accelerate(ParticleStore& particles) { solver_.accelerate(particles, law_, {.long_range = &mesh_}); }

 private:
  static GravityOptions walks() {
    GravityOptions options;
    options.theta = 0.3;
    return options;
  }
  /// A number with small prime factors, fine enough for the cut-off, a cell and a group together to fit into the cube.
  static std::uint32_t mesh_cells(std::uint32_t side) { return std::max(32U, (side + 7) / 8 * 12); }
  static MeshForceOptions mesh_options(std::uint32_t side) {
    MeshForceOptions options;
    options.cells = mesh_cells(side);
    options.split_scale = split / options.cells;
    options.interlacing = true;
    return options;
  }

  std::unique_ptr<ForceBackend> backend_;
  GravitySolver solver_;
  LongRangeMesh mesh_;
  PairLaw law_;
};

/// The particles while they move; `velocity` holds the last step.
class Glass {
 public:
  explicit Glass(const GlassOptions& options) : spacing_(1.0 / options.side), gravity_(options.side) {
    particles_.resize(std::size_t{options.side} * options.side * options.side);
    const auto mass = static_cast<float>(1 / static_cast<double>(particles_.size()));
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      const RandomWords words = philox({i, 0, 0, 0}, options.seed, random_stream::glass);
      particles_.position[i] = {uniform_open_above(words[0]), uniform_open_above(words[1]),
                                uniform_open_above(words[2])};
      particles_.mass[i] = mass;
    }
  }
  void step() {
    gravity_.accelerate(particles_);
    const double psi = 1 / (4 * std::numbers::pi);
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      Vec3d move = keep * Vec3d(particles_.velocity[i]) - push * psi * Vec3d(particles_.acceleration[i]);
      move *= std::min(1.0, longest_step * spacing_ / std::max(norm(move), 1e-30));
      particles_.velocity[i] = Vec3f(move);
      particles_.position[i] += move;
    }
    wrap(particles_, 1);
  }
  [[nodiscard]] const ParticleStore& particles() const { return particles_; }

 private:
  double spacing_;
  UnitCubeGravity gravity_;
  ParticleStore particles_;
};

}  // namespace

std::vector<Vec3d> make_glass(const GlassOptions& options, const std::function<void(double)>& progress,
                              const Communicator& comm) {
  std::optional<Glass> glass;
  collectively(comm, [&] {
    if (comm.root()) glass.emplace(options);
  });
  for (int step = 0; step < options.steps; ++step) {
    if (progress && step * 10 % options.steps < 10) progress(static_cast<double>(step) / options.steps);
    collectively(comm, [&] {
      if (comm.root()) glass->step();
    });
  }
  std::vector<Vec3d> points(std::size_t{options.side} * options.side * options.side);
  if (comm.root()) std::ranges::copy(glass->particles().position, points.begin());
  comm.broadcast(std::span<Vec3d>(points));
  return points;
}

}  // namespace multiwalk
