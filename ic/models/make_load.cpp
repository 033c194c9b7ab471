// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/models/make_load.hpp"

#include <string>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "ic/loads/glass.hpp"
#include "ic/models/realisation.hpp"

namespace multiwalk {

namespace {

constexpr std::uint32_t fewest = 8, usual = 32, most = 64;  // particles per side of a glass

}  // namespace

LoadedRegion sphere_region(const ModelOptions& model) {
  if (!(model.radius > 0)) throw SharedError("model.radius must be positive");
  return {realisation_side(model), model.radius};
}

std::uint32_t glass_tiles(const IcOptions& ic) {
  std::uint32_t tiles = ic.glass_tiles;
  if (tiles == 0) {
    tiles = 1;
    while (tiles < ic.grid && (ic.grid % tiles != 0 || ic.grid / tiles > usual)) ++tiles;
  }
  const bool whole = ic.grid % tiles == 0;
  if (!whole || ic.grid / tiles < fewest || ic.grid / tiles > most) {
    throw SharedError("ic.glass_tiles = " + std::to_string(tiles) + " does not divide ic.grid = " +
                      std::to_string(ic.grid) + " into glasses of " + std::to_string(fewest) + " to " +
                      std::to_string(most) + " particles per side; change one of them");
  }
  return tiles;
}

Load make_load(const IcOptions& ic, const LoadedRegion& region, std::uint64_t seed, const ModelProgress& progress,
               const Communicator& comm) {
  if (progress) progress(ic.load == LoadKind::glass ? "glass" : "sites", 0);
  if (ic.load != LoadKind::glass) return lattice_load(ic.grid, region, particles_per_cell(ic.load), comm);
  const std::uint32_t tiles = glass_tiles(ic);
  const auto tell = [&progress](double fraction) {
    if (progress) progress("glass", fraction);
  };
  const std::vector<Vec3d> tile = make_glass({ic.grid / tiles, seed}, tell, comm);
  if (progress) progress("copies of the glass", 0);
  return glass_load(ic.grid, region, tile, tiles, comm);
}

}  // namespace multiwalk
