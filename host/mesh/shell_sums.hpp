// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the Fourier modes of a density in shells of wavenumber, made by the host or a device, from which
// analysis/power computes a power spectrum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/mesh/mass_assignment.hpp"

namespace multiwalk {

/// The density on a mesh with `cells` per side, and what is added up.
struct ShellOptions {
  std::uint32_t cells = 0;
  Assignment assignment = Assignment::pcs;
  bool interlacing = true;         ///< the mean of two meshes shifted by half a cell along every axis
  int fold = 0;                    ///< positions times 2^fold modulo the box
  std::span<const double> factor;  ///< (cells/2 + 1) weight of a mode: factor[|n_x|] factor[|n_y|] factor[|n_z|]

  /// The last shell below the Nyquist wavenumber.
  [[nodiscard]] std::uint32_t last_shell() const { return (cells - 1) / 2; }
};

/// Over the modes with |n| from shell - 1/2 to shell + 1/2; n and -n count as two.
struct ShellSum {
  double power = 0;       ///< of factor |delta_n|^2, delta being density / mean density - 1
  double wavenumber = 0;  ///< of |n|
  std::uint64_t modes = 0;
};

struct ShellSums {
  double mass = 0, mass_squares = 0;  ///< sum m and sum m^2 of the particles, in any unit of mass
  std::vector<ShellSum> shell;        ///< (last_shell + 1) from shell 0 on, which stays empty
};

}  // namespace multiwalk
