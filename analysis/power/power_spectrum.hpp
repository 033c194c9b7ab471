// SPDX-License-Identifier: GPL-3.0-or-later
// Power spectrum of the particles of a periodic box.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "decomposition/mesh/density_mesh.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/mesh/shell_sums.hpp"

namespace multiwalk {

struct PowerOptions {
  std::uint32_t mesh = 0;  ///< cells per side; 0: about twice the cube root of the number of particles (default_mesh)
  /// For a displaced lattice half as fine as the mesh, interlaced, TSC is off by 1.3 % and PCS by 0.1 % at half the
  /// lattice's Nyquist wavenumber.
  Assignment assignment = Assignment::pcs;
  /// Uses the mean of two meshes shifted by half a cell (Sefusatti et al. 2016); if off, the windows of Jing (2005)
  /// with the aliases of a white spectrum.
  bool interlacing = true;
  int folds = 0;  ///< number of folds; each doubles the largest k
  bool subtract_shot_noise = false;
};

/// Modes with |n| from shell - 1/2 to shell + 1/2, n = k box_size / (2 pi 2^fold).
struct PowerBin {
  int fold = 0;
  std::uint32_t shell = 0;
  double k = 0;             ///< mean of the modes; 2 pi over the unit of box_size
  double power = 0;         ///< (unit of box_size)^3
  double sigma = 0;         ///< power with its shot noise times sqrt(2 / modes)
  std::uint64_t modes = 0;  ///< wave vectors; k and -k, which hold the same amplitude, count as two
};

struct PowerSpectrum {
  std::uint64_t particles = 0;
  std::uint32_t mesh = 0;
  double nyquist = 0;          ///< of the unfolded mesh
  double shot_noise = 0;       ///< V sum m^2 / (sum m)^2: V/N for equal masses
  std::vector<PowerBin> bins;  ///< shells entirely below the Nyquist wavenumber, of each fold in turn
};

/// The next even number above 2 particles^(1/3) with no prime factor above 5; at least 8.
std::uint32_t default_mesh(std::uint64_t particles);

/// P(k) = V <|delta_k|^2>, divided by the window, averaged over all modes of a bin. The same bits for any number of
/// ranks and threads. Memory: two meshes (one without interlacing), on several ranks one more. Collective. Throws
/// SharedError like density_mesh, and for folds below 0 or above 24.
PowerSpectrum measure_power(const PeriodicParticles& particles, const PowerOptions& options = {},
                            const Communicator& comm = {});

/// Gives the sums over the modes of the particles' density, or nothing if it cannot.
using ShellSource = std::function<std::optional<ShellSums>(const ShellOptions&)>;

/// The spectrum of all particles of a box from sums that are made elsewhere, e.g. by the device that keeps the
/// particles; nothing if the source gives nothing. Not collective. Throws SharedError for folds below 0 or above 24.
std::optional<PowerSpectrum> power_of_shells(std::uint64_t particles, double box_size, const PowerOptions& options,
                                             const ShellSource& shells);

/// One table of rising k: each fold up to half its Nyquist wavenumber, the last to its end. No two bins overlap.
std::vector<PowerBin> joined(const PowerSpectrum& spectrum);

}  // namespace multiwalk
