// SPDX-License-Identifier: GPL-3.0-or-later
// Gaussian random density field whose modes depend only on seed and wave vector, not on the mesh.
#pragma once

#include <complex>
#include <cstdint>

#include "decomposition/mesh/pencil_mesh.hpp"
#include "ic/fields/random.hpp"
#include "ic/power/linear_power.hpp"

namespace multiwalk {

struct FieldOptions {
  std::uint64_t seed = 1;
  bool fixed_amplitude = false;  ///< |delta_k| = sqrt(P/V) (Angulo & Pontzen 2016)
  bool paired = false;           ///< delta -> -delta
  ModeSource source = ModeSource::philox;
};

/// delta_n / sqrt(P/V) of one mode n != 0 (any sign) of our own: Philox4x64 with counter {n, 0} and key {seed, 0} for
/// the canonical half of k-space (n_z > 0, or n_z = 0 and n_y > 0, or n_z = n_y = 0 and n_x > 0), the conjugate
/// elsewhere.
std::complex<double> unit_mode(std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, const FieldOptions& options);

/// Modes delta_n of the linear density contrast today on `cells`^3 cells of a box with side `box_size` Mpc/h,
/// <|delta_n|^2> = P(k)/V, k = 2 pi n / box_size; the zero mode and the Nyquist planes are zero. Throws SharedError if
/// the spectrum does not cover the box's longest wave. Collective.
PencilMesh gaussian_field(std::uint32_t cells, double box_size, const LinearPower& power, const FieldOptions& options,
                          const Communicator& comm = {});

}  // namespace multiwalk
