// SPDX-License-Identifier: GPL-3.0-or-later
// Tabulated Ewald sums for one instruction set; only isa_kernels.cpp includes it. Works on one block of sources at a
// time: first all nearest images, one lane each; then the lattice correction of each source, with the four numbers of a
// table node side by side in a vector.
#pragma once

#include "host/gravity/ewald_table.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/simd/simd_vector.hpp"

namespace multiwalk::MULTIWALK_ISA {

using TableNode [[gnu::vector_size(32)]] = double;

/// Lagrange's cubic through the nodes -1, 0, 1, 2 at 0 <= f <= 1.
struct CubicWeights {
  double before, left, right, after;

  MULTIWALK_HOST_DEVICE explicit CubicWeights(double f) {
    const double down = (f - 1) * (f - 2), up = (f + 1) * f;
    before = -f * down / 6;
    left = (f + 1) * down / 2;
    right = -up * (f - 2) / 2;
    after = up * (f - 1) / 6;
  }
};

/// Positions of sources in the table, and their masses with the signs of the octant.
struct EwaldBlock {
  static constexpr int capacity = 128;
  static constexpr int intervals = ewald_intervals, nodes = ewald_nodes;
  std::int32_t first[capacity];  ///< node of the stencil's lowest corner
  double fraction[3][capacity];
  double weight[4][capacity];

  MULTIWALK_HOST_DEVICE void place(int j, Vec3<double> d, double mass, double steps) {
    const double separation[3] = {d.x, d.y, d.z};
    std::int32_t node = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double u = __builtin_fabs(separation[axis]) * steps;
      const auto whole = static_cast<std::int32_t>(u);
      const std::int32_t left = whole < intervals ? whole : intervals - 1;
      node = node * nodes + left;
      fraction[axis][j] = u - left;
      weight[axis][j] = separation[axis] < 0 ? -mass : mass;
    }
    first[j] = node;
    weight[3][j] = mass;
  }

  MULTIWALK_HOST_DEVICE TableNode correction(int j, const TableNode* table) const {
    const CubicWeights x(fraction[0][j]), y(fraction[1][j]), z(fraction[2][j]);
    const TableNode* corner = table + first[j];
    const auto along_z = [&](const TableNode* row) {
      return z.before * row[0] + z.left * row[1] + z.right * row[2] + z.after * row[3];
    };
    const auto across_y = [&](const TableNode* plane) {
      return y.before * along_z(plane) + y.left * along_z(plane + nodes) + y.right * along_z(plane + 2 * nodes) +
             y.after * along_z(plane + 3 * nodes);
    };
    constexpr int plane = nodes * nodes;
    const TableNode sum = x.before * across_y(corner) + x.left * across_y(corner + plane) +
                          x.right * across_y(corner + 2 * plane) + x.after * across_y(corner + 3 * plane);
    return TableNode{weight[0][j], weight[1][j], weight[2][j], weight[3][j]} * sum;
  }
};

struct EwaldSources {
  const Vec3<double>* position;
  const float* mass;
  int count;
};

/// Adds the nearest images of up to a block's capacity of sources and stores what their corrections need.
inline void add_nearest(const EwaldSources& sources, Vec3<double> target, const EwaldPairs& law, EwaldBlock& block,
                        ForceSum<double>& sum) {
  const Vec3<double>* const position = sources.position;
  const float* const mass = sources.mass;
  const int n = sources.count;
  const double side = law.box_size, inverse = 1 / side, steps = 2 * EwaldBlock::intervals / side;
  double ax = 0, ay = 0, az = 0, potential = 0;
#pragma omp simd reduction(+ : ax, ay, az, potential)
  for (int j = 0; j < n; ++j) {
    double dx = position[j].x - target.x, dy = position[j].y - target.y, dz = position[j].z - target.z;
    dx -= side * __builtin_rint(dx * inverse);
    dy -= side * __builtin_rint(dy * inverse);
    dz -= side * __builtin_rint(dz * inverse);
    const auto m = static_cast<double>(mass[j]);
    const double r2 = dx * dx + dy * dy + dz * dz + law.softening2;
    const double ri = r2 > 0 ? 1 / __builtin_sqrt(r2) : 0;
    const double mri = m * ri;
    const double weight = mri * ri * ri;
    ax += weight * dx;
    ay += weight * dy;
    az += weight * dz;
    potential += mri;
    block.place(j, {dx, dy, dz}, m, steps);
  }
  sum.x += ax;
  sum.y += ay;
  sum.z += az;
  sum.potential += potential;
}

inline ForceSum<double> ewald(const Vec3<double>* position, const float* mass, std::size_t n, Vec3<double> target,
                              const EwaldPairs& law) {
  const auto* table = reinterpret_cast<const TableNode*>(law.table);
  EwaldBlock block;
  ForceSum<double> sum;
  TableNode lattice{};
  for (std::size_t from = 0; from < n; from += EwaldBlock::capacity) {
    const int count = n - from < EwaldBlock::capacity ? static_cast<int>(n - from) : EwaldBlock::capacity;
    add_nearest({position + from, mass + from, count}, target, law, block, sum);
    for (int j = 0; j < count; ++j) lattice += block.correction(j, table);
  }
  const double inverse = 1 / law.box_size, inverse2 = inverse * inverse;
  return {sum.x + inverse2 * lattice[0], sum.y + inverse2 * lattice[1], sum.z + inverse2 * lattice[2],
          sum.potential + inverse * lattice[3]};
}

}  // namespace multiwalk::MULTIWALK_ISA
