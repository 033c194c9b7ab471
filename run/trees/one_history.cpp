// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/one_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/hash.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

namespace {

std::string words_for(const std::string& a, const std::string& b) {
  return a + " and " + b + " are not of one run: ";
}

}  // namespace

void expect_one_run(const SnapshotInfo& a, const std::string& path_a, const SnapshotInfo& b,
                    const std::string& path_b) {
  constexpr double rounding = 1e-5;
  const auto facts = [](const SnapshotInfo& info) {
    const ParticleSystem& system = info.system;
    const CosmologyParameters& c = info.cosmology;
    return std::vector<std::pair<const char*, double>>{
        {"the boundary (1: periodic)", system.boundary == Boundary::periodic ? 1 : 0},
        {"the box size", system.boundary == Boundary::periodic ? system.box_size : 0},
        {"the number of particles", static_cast<double>(info.particles)},
        {"omega_m", c.omega_m},
        {"omega_lambda", c.omega_lambda},
        {"h", c.h},
        {"w0", c.w0},
        {"wa", c.wa}};
  };
  const auto of_a = facts(a), of_b = facts(b);
  for (std::size_t k = 0; k < of_a.size(); ++k) {
    const auto& [name, value] = of_a[k];
    const double other = of_b[k].second;
    if (std::fabs(value - other) <= rounding * std::max(std::fabs(value), std::fabs(other))) continue;
    throw InputError(words_for(path_a, path_b) + fmt::format("{} is {} and {}", name, value, other));
  }
}

OneHistory::Seen OneHistory::look(const SnapshotInfo& info, const std::string& path, const Communicator& comm) {
  constexpr std::uint64_t enough = 50000;  // witnesses
  const ParticleStore& p = info.system.particles;
  const std::uint64_t stride = info.particles / enough + 1;
  Seen seen;
  seen.path = path;
  seen.info.particles = info.particles;
  seen.info.cosmology = info.cosmology;
  seen.info.system.boundary = info.system.boundary;
  seen.info.system.box_size = info.system.box_size;
  std::vector<Witness> mine;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint64_t hash = mix_bits(p.id[i]);
    seen.ids += hash;
    if (hash % stride == 0) mine.push_back({p.id[i], p.position[i], Vec3d(p.velocity[i])});
  }
  seen.ids = comm.sum(seen.ids);
  seen.witnesses = comm.gather(std::span<const Witness>(mine));
  std::ranges::sort(seen.witnesses, {}, &Witness::id);
  return seen;
}

/// Correlation of the displacements between two snapshots with the velocities in the first: near 1 if few orbits lie
/// between them; 0 or negative for particles that have nothing but their ids in common.
double OneHistory::correlation(const Seen& before, const Seen& now) {
  const double period = now.info.system.boundary == Boundary::periodic ? now.info.system.box_size : 0;
  double both = 0, moved = 0, moving = 0;
  for (std::size_t i = 0; i < before.witnesses.size(); ++i) {
    const Vec3d& p = before.witnesses[i].p;
    const Vec3d way = separation(before.witnesses[i].x, now.witnesses[i].x, period);
    both += dot(way, p);
    moved += dot(way, way);
    moving += dot(p, p);
  }
  return moved > 0 && moving > 0 ? both / std::sqrt(moved * moving) : 1;
}

std::string OneHistory::add(const SnapshotInfo& info, const std::string& path, const Communicator& comm) {
  constexpr double least = 0.3;
  Seen now = look(info, path, comm);
  std::string warning;
  collectively(comm, [&] {
    if (!last_) return;
    expect_one_run(last_->info, last_->path, info, path);
    if (now.ids != last_->ids) throw InputError(words_for(last_->path, path) + "their particles have different ids");
    const double agreement = comm.root() ? correlation(*last_, now) : 1;
    if (agreement < least) {
      warning = fmt::format(
          "{} and {}: between them particles have not moved as their velocities say (correlation {:.2f}, near 1 in one "
          "run): if these are of two runs, the trees mean nothing",
          last_->path, path, agreement);
    }
  });
  last_ = std::move(now);
  return warning;
}

}  // namespace multiwalk
