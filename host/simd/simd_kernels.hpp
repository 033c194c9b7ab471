// SPDX-License-Identifier: GPL-3.0-or-later
// The inner loops of the CPU, compiled once per instruction set and chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "host/gravity/pair_force.hpp"
#include "host/gravity/short_range.hpp"
#include "host/simd/gravity_loops.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/walk_batch.hpp"
#include "host/walk/walk_families.hpp"

namespace multiwalk {

/// Sources of one walk in single precision relative to the walk's centre, padded to whole vectors with massless ones
/// far away. Arrays are 64-byte aligned: x, y, z, mass (particles); x, y, z, mass, xx, xy, xz, yy, yz, zz (cells).
struct PackedSources {
  float* particle[4];
  float* cell[10];
  float* expanded[10];        ///< as cells; lengths in units of the expansion
  std::size_t particles = 0;  ///< padded counts
  std::size_t cells = 0;
  std::size_t expansions = 0;
};

struct PackingOptions {
  bool quadrupole;
  float expansion_unit = 1;
};

/// The pair law of one evaluation. `split` null: the whole force.
struct PairConstants {
  float softening2;
  bool quadrupole;
  const ShortRange* split;
};

/// Local expansions of one walk.
struct ExpansionConstants {
  int order;
  float unit;               ///< of length: a power of two near the targets' greatest distance from the centre
  float softening2;         ///< in that unit
  const ShortRange* split;  ///< null: the whole force
};

/// The pair law of a tabulated Ewald sum; `table`: ewald_table().
struct EwaldPairs {
  double box_size, softening2;
  const double* table;
};

/// Targets of a walk, and the point that packed coordinates are about.
struct WalkTargets {
  const Vec3d* position;
  std::size_t count;
  Vec3d centre;
};

struct SimdKernels {
  std::string_view name;
  int width;  ///< single-precision lanes

  /// Lists the cells and leaf ranges for one group, level by level. False: the buffer is too small.
  bool (*walk)(const WalkTree& tree, const WalkQuery& query, ListBuffer& list);
  /// Gathers a walk's sources, in a periodic tree their images nearest to its centre; the arrays have room for at least
  /// the padded counts.
  void (*pack)(const TreeView& sources, const Walk& walk, const std::uint32_t* cells, const ParticleRange* ranges,
               const PackingOptions& options, PackedSources& packed);
  /// Copies the sources within `reach` of the box around some of the walk's targets; `near` has room for all.
  void (*select)(const PackedSources& packed, const WalkTargets& targets, float reach, bool quadrupole,
                 PackedSources& near);
  /// sums[t] for the walk's targets, own pair included.
  void (*evaluate)(const PackedSources& packed, const WalkTargets& targets, const PairConstants& law,
                   ForceSum<double>* sums);
  /// Adds to sums[t] the force of the packed cells that are expanded about the walk's centre.
  void (*expand)(const PackedSources& packed, const WalkTargets& targets, const ExpansionConstants& law,
                 ForceSum<double>* sums);
  /// Double-precision sum over all sources for one target, as the reference. The own (coincident) pair is included.
  ForceSum<double> (*direct)(const Vec3d* position, const float* mass, std::size_t n, Vec3d target, double softening2);
  /// The double-precision sum in a periodic box, in the conventions of host/exact/ewald.hpp.
  ForceSum<double> (*ewald)(const Vec3d* position, const float* mass, std::size_t n, Vec3d target,
                            const EwaldPairs& law);
  /// Direct gravity of any number of sources and targets.
  GravityLoops (*gravity_loops)(const GravityLaw& law);
  Extent (*extent)(const Vec3d* point, std::size_t n);
  /// The largest magnitude; 0 for none.
  double (*largest)(const double* value, std::size_t n);
  /// sum over i, j, k < 4 of x[i] y[j] z[k] line[4 i + j][k]: the value of a mesh for the cloud of a cubic spline.
  double (*read_cloud)(const double* const* line, const double* x, const double* y, const double* z);
};

/// The best set of this machine, or the one named ("avx512", "avx2", "neon", "portable"). Throws InputError.
const SimdKernels& simd_kernels(std::string_view name = "");

/// Names that this machine can run, best first.
std::span<const SimdKernels* const> available_simd_kernels();

}  // namespace multiwalk
