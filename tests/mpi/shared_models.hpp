// SPDX-License-Identifier: GPL-3.0-or-later
// Particle sets that every rank makes whole, and a rank's share of them.
#pragma once

#include "ic/models/model.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::test {

enum class Model { plummer, lcdm, rod };

/// A sphere of a LCDM universe at redshift 3, total mass 1.
inline ParticleStore lcdm_sphere(std::uint32_t grid) {
  ModelOptions model;
  model.kind = ModelKind::sphere;
  model.radius = 20;
  IcOptions ic;
  ic.grid = grid;
  ic.z_start = 3;
  ParticleStore all = make_model(model, ic, CosmologyParameters{}).particles;
  for (float& m : all.mass) m = static_cast<float>(1.0 / static_cast<double>(all.size()));
  return all;
}

/// Far longer than wide, so that distant ranks need no more than one cell of each other.
inline ParticleStore rod(std::size_t n) {
  ParticleStore all = uniform_cube(n);
  for (Vec3d& p : all.position) p.x *= 20;
  return all;
}

/// `n` particles; the LCDM sphere has those of its grid instead.
inline ParticleStore make(Model model, std::size_t n, std::uint32_t lcdm_grid) {
  if (model == Model::lcdm) return lcdm_sphere(lcdm_grid);
  return model == Model::rod ? rod(n) : plummer(n);
}

/// This rank's share: the ids that leave rank as the rest.
inline ParticleStore share_of(const ParticleStore& all) {
  const auto ranks = static_cast<std::uint64_t>(world().size()), rank = static_cast<std::uint64_t>(world().rank());
  return kept(all, [&](std::uint32_t i) { return all.id[i] % ranks == rank; });
}

}  // namespace multiwalk::test
