// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels of a power spectrum. All sums have a fixed order, which depends on the numbers of particles and cells alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/mesh/mesh_kernels.cuh"

namespace multiwalk {

/// Sums over some masses.
struct MassSum {
  double mass, squares;
  float least, most;
};

/// Thread blocks that share the masses, and those that share the modes; each writes its part of a sum.
inline constexpr unsigned most_spectrum_blocks = 1024;
unsigned mass_parts(std::size_t n);
unsigned shell_parts(std::uint32_t cells);

/// part (mass_parts(n)); their sums are those of all masses.
void sum_masses(const float* mass, std::size_t n, MassSum* part, const Stream& stream);

/// Counts at pitch 2 (N/2 + 1) become, in the same place, the bits of (counts / mean - 1) / N^3 in double precision.
void contrast_in_place(unsigned long long* mesh, std::uint32_t cells, double mean, const Stream& stream);

/// Modes of a density contrast, which lie in memory as FineTransform says.
struct ContrastModes {
  const double* modes;
  const double* shifted;  ///< of the mesh displaced by half a cell along every axis; null: not interlaced
  std::uint32_t cells;
};

struct ShellPart {
  double power, wavenumber;
  unsigned long long modes;
};

/// Sums in shells 1 to `shells` (host/mesh/shell_sums.hpp), at most (N - 1) / 2 and 2047; `factor` (N/2 + 1). part
/// (shell_parts(N) + 1, shells + 1): the last row holds the sums over all modes from element 1 on.
void sum_shells(const ContrastModes& modes, const double* factor, std::uint32_t shells, ShellPart* part,
                const Stream& stream);

}  // namespace multiwalk
