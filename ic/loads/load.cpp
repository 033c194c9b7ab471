// SPDX-License-Identifier: GPL-3.0-or-later
// Sites and copies, rank by rank.
#include "ic/loads/load.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "decomposition/mesh/pencil_grid.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr double rounding = 1e-12;  // sites exactly on the surface are left out, however they are rounded

Load empty_load(std::uint32_t cells, const LoadedRegion& region) {
  const auto [side, radius] = region;
  if (!(radius >= 0)) throw SharedError("model.radius must be positive");
  if (cells < 2 || cells > 65535) throw SharedError("ic.grid must lie between 2 and 65535");
  if (!(side > 0)) throw SharedError("model.box_size must be positive");
  if (2 * radius > side * (1 + rounding)) {
    throw SharedError("a sphere of model.radius = " + text_of(radius) + " does not fit into model.box_size = " +
                      text_of(side) + "; give at least twice the radius, or 0 to let it follow");
  }
  return {cells, side, radius > 0 ? Vec3d{1, 1, 1} * (side / 2) : Vec3d{}, {}, 1, {}};
}

/// Whether a position relative to the origin is loaded.
class Inside {
 public:
  explicit Inside(double radius) : whole_(radius == 0), limit_(radius * radius * (1 - rounding)) {}
  bool operator()(Vec3d x) const { return whole_ || norm2(x) < limit_; }

 private:
  bool whole_;
  double limit_;
};

/// The rows of sites along z in a pencil, in the order of the sites' numbers.
struct SiteRows {
  struct Row {
    std::uint64_t lattice;
    std::uint32_t x, y;
  };
  Pencil pencil;
  std::size_t lattices;

  [[nodiscard]] std::size_t size() const { return lattices * pencil.value_x.count * pencil.value_y.count; }
  [[nodiscard]] Row operator[](std::size_t row) const {
    const std::size_t plane = row / pencil.value_y.count;
    return {plane / pencil.value_x.count,
            pencil.value_x.first + static_cast<std::uint32_t>(plane % pencil.value_x.count),
            pencil.value_y.first + static_cast<std::uint32_t>(row % pencil.value_y.count)};
  }
};

void require_particles(const Load& load, const Communicator& comm) {
  if (!comm.any(!load.site.empty())) {
    throw SharedError("the sphere of model.radius holds no particle; raise ic.grid");
  }
}

/// The copies of a tile that overlap the range of cells along an axis.
IndexRange copies_touching(IndexRange cells_here, std::uint32_t cells, std::uint32_t tiles) {
  if (cells_here.count == 0) return {};
  const auto copy_of = [&](std::uint64_t cell) { return static_cast<std::uint32_t>(cell * tiles / cells); };
  const std::uint32_t first = copy_of(cells_here.first);
  return {first, copy_of(cells_here.end() - 1) - first + 1};
}

}  // namespace

Load lattice_load(std::uint32_t cells, const LoadedRegion& region, int lattices, const Communicator& comm) {
  Load load = empty_load(cells, region);
  load.lattices = lattices;
  const Inside inside(region.radius);
  collectively(comm, [&] {
    const SiteRows rows{Pencil(PencilGrid(comm.size()), comm.rank(), cells), static_cast<std::size_t>(lattices)};
    const auto for_each_inside = [&](std::size_t row, auto act) {
      const auto [lattice, x, y] = rows[row];
      const std::uint64_t first = ((lattice * cells + x) * cells + y) * cells;
      for (std::uint32_t z = 0; z < cells; ++z) {
        if (inside(load.site_position(lattice, {x, y, z}))) act(first + z);
      }
    };
    std::vector<std::size_t> place(rows.size() + 1, 0);
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for_each_inside(row, [&](std::uint64_t) { ++place[row + 1]; });
    }
    std::partial_sum(place.begin(), place.end(), place.begin());
    load.site.resize(place.back());
#pragma omp parallel for schedule(static)
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for_each_inside(row, [&, next = place[row]](std::uint64_t site) mutable { load.site[next++] = site; });
    }
  });
  require_particles(load, comm);
  return load;
}

Load glass_load(std::uint32_t cells, const LoadedRegion& region, std::span<const Vec3d> tile, std::uint32_t tiles,
                const Communicator& comm) {
  Load load = empty_load(cells, region);
  const Inside inside(region.radius);
  const double side = region.box_size / tiles;
  collectively(comm, [&] {
    const Pencil mine(PencilGrid(comm.size()), comm.rank(), cells);
    const auto cell_of = [&](double x) {
      return std::min(static_cast<std::uint32_t>(x / region.box_size * cells), cells - 1);
    };
    const IndexRange x_copies = copies_touching(mine.value_x, cells, tiles);
    const IndexRange y_copies = copies_touching(mine.value_y, cells, tiles);
    for (std::uint32_t x = x_copies.first; x < x_copies.end(); ++x) {
      for (std::uint32_t y = y_copies.first; y < y_copies.end(); ++y) {
        for (std::uint32_t z = 0; z < tiles; ++z) {
          const std::uint64_t first = ((std::uint64_t{x} * tiles + y) * tiles + z) * tile.size();
          for (std::size_t i = 0; i < tile.size(); ++i) {
            const Vec3d at = (Vec3d{1.0 * x, 1.0 * y, 1.0 * z} + tile[i]) * side;
            const bool here = mine.value_x.contains(cell_of(at.x)) && mine.value_y.contains(cell_of(at.y));
            if (!here || !inside(at - load.origin)) continue;
            load.site.push_back(first + i);
            load.point.push_back(at);
          }
        }
      }
    }
  });
  require_particles(load, comm);
  return load;
}

}  // namespace multiwalk
