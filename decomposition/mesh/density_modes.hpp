// SPDX-License-Identifier: GPL-3.0-or-later
// Fourier modes of the density of a periodic box, optionally interlaced.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "decomposition/mesh/density_mesh.hpp"
#include "decomposition/mesh/pencil_mesh.hpp"
#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

/// Modes of density / mean density, including the window of the mass assignment. Interlaced (Hockney & Eastwood 1988;
/// Sefusatti et al. 2016): the mean of two meshes shifted by half a cell along every axis, free of images an odd number
/// of mesh wavenumbers away; temporarily holds two meshes. The same bits for any number of ranks and threads.
/// options.mesh_shift must be 0. Collective. Throws SharedError like density_mesh.
PencilMesh density_modes(const PeriodicParticles& particles, const MassSums& masses, std::uint32_t cells,
                         const DensityOptions& options, bool interlacing, const Communicator& comm = {});

/// exp(i pi (n_x + n_y + n_z) / N): a mode's factor on a mesh with N per side whose points are shifted by half a cell.
class HalfCellPhase {
 public:
  explicit HalfCellPhase(std::uint32_t cells);
  [[nodiscard]] std::complex<double> operator()(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return phase_[static_cast<std::size_t>(x + y + z + cells_)];
  }

 private:
  std::int64_t cells_;
  std::vector<std::complex<double>> phase_;  ///< for sums from -N to 3N/2
};

}  // namespace multiwalk
