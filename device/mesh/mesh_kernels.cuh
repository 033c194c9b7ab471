// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels between particles, mesh values and modes. Meshes lie in memory as MeshTransform says.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "host/base/vec3.hpp"

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

/// The result of differentiate: -d/dx, -d/dy, -d/dz of the potential (axis 0, 1, 2) or the potential itself (3), at the
/// points of the mesh or half a cell further on.
struct Derivative {
  int axis;
  float fundamental;  ///< wavenumber
  bool shifted;
};

/// Element i of a column of a table is first[i stride].
struct Column {
  float* first;
  unsigned stride;
};

/// Adds the particles' shares (PCS) to counts[(x N + y) N + z] in whole numbers, `counts_of_mass` to a unit of mass:
/// the sums are the same in any order.
void deposit(const MassPoints& points, const MeshPlaces& places, double counts_of_mass, unsigned long long* counts,
             const Stream& stream);
/// mesh = counts / mean - 1.
void contrast(const unsigned long long* counts, std::uint32_t cells, double mean, float* mesh, const Stream& stream);
/// The mean of the modes of two meshes, of which `shifted` is displaced by half a cell along every axis.
void interlace(float* modes, const float* shifted, std::uint32_t cells, const Stream& stream);
/// Modes times source f(n_x) f(n_y) f(n_z) / n^2, `factor` (N/2 + 1) being f; the mean is 0.
void filter(float* modes, std::uint32_t cells, const float* factor, float source, const Stream& stream);
/// Modes of a derivative from those of the potential.
void differentiate(const float* potential, std::uint32_t cells, const Derivative& derivative, float* field,
                   const Stream& stream);
/// Adds factor times the field at each particle (PCS) to its result.
void interpolate(const MassPoints& points, const MeshPlaces& places, const float* field, float factor,
                 const Column& result, const Stream& stream);
/// result[i] = own mass[i] + everywhere.
void set_constants(const float* mass, std::size_t n, double own, double everywhere, float* result,
                   const Stream& stream);

}  // namespace multiwalk
