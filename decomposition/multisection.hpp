// Orthogonal multisection (Makino 2004): space is cut into slabs along x, each slab into columns along y, each column
// into boxes along z, one box per rank, with the same cost in each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/communicator.hpp"
#include "host/base/box.hpp"

namespace multiwalk {

/// Boxes along x, y and z; their product is the number of ranks.
using DomainGrid = std::array<int, 3>;

/// The grid whose boxes come nearest to cubes when space of this extent is cut into `ranks`.
DomainGrid choose_grid(int ranks, Vec3d extent);

/// Who owns which part of space. The outermost boxes reach to infinity. Rank = (ix ny + iy) nz + iz.
struct DomainMap {
  DomainGrid grid{1, 1, 1};
  std::vector<double> x;  ///< (nx - 1) rising cuts
  std::vector<double> y;  ///< (nx, ny - 1)
  std::vector<double> z;  ///< (nx, ny, nz - 1)

  [[nodiscard]] int ranks() const { return grid[0] * grid[1] * grid[2]; }
  /// A particle on a cut belongs to the upper side.
  [[nodiscard]] int rank_of(Vec3d position) const;
  /// The box of a rank; infinite where nothing bounds it.
  [[nodiscard]] Box box(int rank) const;
};

struct MultisectionOptions {
  DomainGrid grid{0, 0, 0};           ///< zeros: chosen from the extent
  double max_memory_imbalance = 1.3;  ///< most particles of a rank / mean
  double smoothing = 0.5;             ///< part of the way from the former cuts to the new; 1: all of it
  std::uint64_t sample = 1 << 20;     ///< most particles that a rank looks at
};

/// New cuts into `boxes` boxes for `work` (any unit, >= 0; all zero: by number) at `position`, the same on every rank
/// and for any message timing: histograms of integers decide. `former`: the cuts of the last step, or null. Coincident
/// particles stay together whatever the balance. Collective. Throws InputError if grid does not multiply to `boxes`
/// (the number of ranks, save for a plan).
DomainMap multisection(const Communicator& comm, int boxes, std::span<const Vec3d> position,
                       std::span<const float> work, const MultisectionOptions& options, const DomainMap* former);

}  // namespace multiwalk
