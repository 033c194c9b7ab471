// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gravity/ewald_table.hpp"

#include "host/base/aligned_buffer.hpp"
#include "host/gravity/ewald_lattice.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t table_size = std::size_t{4} * ewald_nodes * ewald_nodes * ewald_nodes;

class Table {
 public:
  Table() {
    const EwaldLattice lattice;
    constexpr double step = 0.5 / ewald_intervals;
    double* value = memory_.reserve(table_size);
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = 0; i < ewald_nodes; ++i)
      for (int j = 0; j < ewald_nodes; ++j)
        for (int k = 0; k < ewald_nodes; ++k) {
          const ForceSum<double> sum = lattice.correction({step * (i - 1), step * (j - 1), step * (k - 1)});
          double* node = value + (static_cast<std::size_t>(i * ewald_nodes + j) * ewald_nodes + k) * 4;
          node[0] = sum.x;
          node[1] = sum.y;
          node[2] = sum.z;
          node[3] = sum.potential;
        }
    value_ = {value, table_size};
  }
  [[nodiscard]] std::span<const double> value() const {
    return value_;
  }

 private:
  AlignedBuffer<double> memory_;
  std::span<const double> value_;
};

}  // namespace

std::span<const double> ewald_table() {
  static const Table table;
  return table.value();
}

}  // namespace multiwalk
