// Lattice sites of a box and of a sphere cut from it.
#include "ic/load.hpp"

#include <numeric>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr double rounding = 1e-12;  // sites exactly on the surface are left out whatever the rounding

void check_lattice(std::uint32_t cells, double box_size) {
  if (cells < 2 || cells > 65535) throw InputError("ic.grid must lie between 2 and 65535");
  if (!(box_size > 0)) throw InputError("model.box_size must be positive");
}

}  // namespace

LatticeLoad full_lattice(std::uint32_t cells, double box_size) {
  check_lattice(cells, box_size);
  LatticeLoad load{cells, box_size, {}, std::vector<std::uint64_t>(std::uint64_t{cells} * cells * cells)};
  std::iota(load.site.begin(), load.site.end(), std::uint64_t{0});
  return load;
}

LatticeLoad lattice_sphere(std::uint32_t cells, double box_size, double radius) {
  check_lattice(cells, box_size);
  if (!(radius > 0)) throw InputError("model.radius must be positive");
  if (2 * radius > box_size * (1 + rounding)) {
    throw InputError("a sphere of model.radius = " + std::to_string(radius) + " does not fit into model.box_size = " +
                     std::to_string(box_size) + "; give at least twice the radius, or 0 to let it follow");
  }
  LatticeLoad load{cells, box_size, Vec3d{1, 1, 1} * (box_size / 2), {}};
  const double limit = radius * radius * (1 - rounding);
  for (std::uint64_t s = 0; s < std::uint64_t{cells} * cells * cells; ++s) {
    if (norm2(load.position(s)) < limit) load.site.push_back(s);
  }
  if (load.site.empty()) throw InputError("the sphere of model.radius holds no particle; raise ic.grid");
  return load;
}

}  // namespace multiwalk
