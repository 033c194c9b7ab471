// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gravity/ewald_table.hpp"

#include <mutex>

#include "host/gravity/ewald_lattice.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t table_size = std::size_t{4} * ewald_nodes * ewald_nodes * ewald_nodes;

/// Writes the nodes whose indices are a permutation of `at`.
void write_nodes(const EwaldLattice& lattice, const int (&at)[3], double* value) {
  constexpr double step = 0.5 / ewald_intervals;
  constexpr int orders[6][3]{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const ForceSum<double> sum = lattice.correction({step * (at[0] - 1), step * (at[1] - 1), step * (at[2] - 1)});
  const double pull[3]{sum.x, sum.y, sum.z};
  for (const auto& axis : orders) {
    const int place = (at[axis[0]] * ewald_nodes + at[axis[1]]) * ewald_nodes + at[axis[2]];
    double* node = value + std::size_t{4} * static_cast<std::size_t>(place);
    for (int k = 0; k < 3; ++k) node[k] = pull[axis[k]];
    node[3] = sum.potential;
  }
}

}  // namespace

EwaldTable::EwaldTable(double softening) : softening_(softening), value_(memory_.reserve(table_size)) {
  const EwaldLattice lattice(softening);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < ewald_nodes; ++i) {
    for (int j = i; j < ewald_nodes; ++j) {
      for (int k = j; k < ewald_nodes; ++k) write_nodes(lattice, {i, j, k}, value_);
    }
  }
}

std::shared_ptr<const EwaldTable> ewald_table(double softening) {
  static std::mutex access;
  static std::shared_ptr<const EwaldTable> last;
  const std::lock_guard lock(access);
  if (!last || last->softening() != softening) last = std::make_shared<const EwaldTable>(softening);
  return last;
}

}  // namespace multiwalk
