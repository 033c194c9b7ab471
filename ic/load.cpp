// Lattice sites of a box and of a sphere cut from it.
#include "ic/load.hpp"

#include <string>

#include "decomposition/agree.hpp"
#include "decomposition/pencil_grid.hpp"

namespace multiwalk {

namespace {

constexpr double rounding = 1e-12;  // sites exactly on the surface are left out whatever the rounding

void check_lattice(std::uint32_t cells, double box_size) {
  if (cells < 2 || cells > 65535) throw SharedError("ic.grid must lie between 2 and 65535");
  if (!(box_size > 0)) throw SharedError("model.box_size must be positive");
}

/// Calls act(first site) for every column along z of this rank's pencil, by rising index.
template <class Act>
void for_each_column(std::uint32_t cells, const Communicator& comm, Act act) {
  const Pencil mine(PencilGrid(comm.size()), comm.rank(), cells);
  for (std::uint32_t x = mine.value_x.first; x < mine.value_x.end(); ++x) {
    for (std::uint32_t y = mine.value_y.first; y < mine.value_y.end(); ++y) act((std::uint64_t{x} * cells + y) * cells);
  }
}

}  // namespace

LatticeLoad full_lattice(std::uint32_t cells, double box_size, const Communicator& comm) {
  check_lattice(cells, box_size);
  LatticeLoad load{cells, box_size, {}, {}};
  together(comm, [&] {
    const Pencil mine(PencilGrid(comm.size()), comm.rank(), cells);
    load.site.reserve(std::uint64_t{mine.value_x.count} * mine.value_y.count * cells);
    for_each_column(cells, comm, [&](std::uint64_t first) {
      for (std::uint32_t z = 0; z < cells; ++z) load.site.push_back(first + z);
    });
  });
  return load;
}

LatticeLoad lattice_sphere(std::uint32_t cells, double box_size, double radius, const Communicator& comm) {
  if (!(radius > 0)) throw SharedError("model.radius must be positive");
  check_lattice(cells, box_size);
  if (2 * radius > box_size * (1 + rounding)) {
    throw SharedError("a sphere of model.radius = " + std::to_string(radius) + " does not fit into model.box_size = " +
                      std::to_string(box_size) + "; give at least twice the radius, or 0 to let it follow");
  }
  LatticeLoad load{cells, box_size, Vec3d{1, 1, 1} * (box_size / 2), {}};
  const double limit = radius * radius * (1 - rounding);
  together(comm, [&] {
    for_each_column(cells, comm, [&](std::uint64_t first) {
      const Vec3d end = load.position(first);
      if (end.x * end.x + end.y * end.y >= limit) return;
      for (std::uint32_t z = 0; z < cells; ++z) {
        if (norm2(load.position(first + z)) < limit) load.site.push_back(first + z);
      }
    });
  });
  if (!comm.any(!load.site.empty())) {
    throw SharedError("the sphere of model.radius holds no particle; raise ic.grid");
  }
  return load;
}

}  // namespace multiwalk
