// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels between particles, mesh values and modes. Meshes lie in memory as MeshTransform says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "host/base/vec3.hpp"
#include "host/mesh/split_filter.hpp"

namespace multiwalk {

/// A periodic mesh over a box; its point i is at (i + shift) box_size / cells.
struct MeshPlaces {
  double box_size;
  std::uint32_t cells;
  double shift;
};

/// Particles in device memory.
struct MassPoints {
  const Vec3d* position;
  const float* mass;
  std::size_t count;
};

/// Masses at the points of a mesh in whole numbers, at data[(x N + y) pitch + z].
struct MeshCounts {
  unsigned long long* data;
  std::size_t pitch;
};

/// The result of differentiate: -d/dx, -d/dy, -d/dz of the potential (axis 0, 1, 2) or the potential itself (3), at the
/// points of the mesh or half a cell further on.
struct Derivative {
  int axis;
  float fundamental;  ///< wavenumber
  bool shifted;
};

/// Tables in device memory: of long_range_factors (N/2 + 1) and of SplitFilter.
struct LongRangeFilter {
  const float* factor;
  FilterValues more;
  float source;
};

/// Particles sorted by the tile of the mesh that they lie in (device/mesh/mesh_order.cuh).
struct TiledPoints {
  MassPoints points;
  const std::uint32_t* index;     ///< of the particles, tile by tile
  const std::uint32_t* tile_end;  ///< per tile: the place after its last particle
  std::uint32_t run;              ///< particles of a thread block
};

/// Where a field's value at particle i goes: factor times it is added to begun[i] or, if that is null, to
/// of_mass mass[i] + constant; the sum goes to unfinished[i] or, if that is null, is added to sum[i stride], whose
/// change goes to change[i stride] (null: not wanted). `begun` and `unfinished` may be one array, in the order of
/// tiles.
struct FieldResult {
  float factor = 1;
  double of_mass = 0, constant = 0;
  const float* begun = nullptr;
  float* unfinished = nullptr;
  float* sum = nullptr;
  float* change = nullptr;
  unsigned stride = 1;
};

/// The largest mass, 0 if none is above 0, infinity if one is not finite. `word` in device memory is overwritten. Waits
/// for the stream.
float heaviest_mass(const float* mass, std::size_t n, unsigned long long* word, const Stream& stream);
/// Counts per unit of mass, a power of two, for which `n` particles have at most 2^61.
double counts_of_mass(float heaviest, std::size_t n);
/// The sum of the particles' masses in whole numbers, `counts_of_mass` to a unit of mass, each rounded down. As above.
unsigned long long total_counts(const MassPoints& points, double counts_of_mass, unsigned long long* word,
                                const Stream& stream);
/// Adds the particles' shares (PCS) to the counts, `counts_of_mass` to a unit of mass: the sums are the same in any
/// order.
void deposit(const TiledPoints& sorted, const MeshPlaces& places, double counts_of_mass, const MeshCounts& counts,
             const Stream& stream);
/// mesh = counts / mean - 1. The mesh may overlap the counts if it begins before them, by at least one of its planes of
/// `cells` lines.
void contrast(const unsigned long long* counts, std::uint32_t cells, double mean, float* mesh, const Stream& stream);
/// The mean of the modes of two meshes, of which `shifted` is displaced by half a cell along every axis.
void interlace(float* modes, const float* shifted, std::uint32_t cells, const Stream& stream);
/// Modes times by.source f(n_x) f(n_y) f(n_z) g(n^2) / n^2, f being by.factor and g by.more; the mean is 0.
void filter(float* modes, std::uint32_t cells, const LongRangeFilter& by, const Stream& stream);
/// Modes of a derivative from those of the potential.
void differentiate(const float* potential, std::uint32_t cells, const Derivative& derivative, float* field,
                   const Stream& stream);
/// Gives the field's value at each particle (PCS) to its result.
void interpolate(const TiledPoints& sorted, const MeshPlaces& places, const float* field, const FieldResult& result,
                 const Stream& stream);

}  // namespace multiwalk
