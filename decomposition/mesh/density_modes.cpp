// SPDX-License-Identifier: GPL-3.0-or-later
// The shifted mesh's modes carry exp(i pi (n_x + n_y + n_z) / N), and their images beyond the Nyquist wavenumber an
// extra sign for each odd number of mesh wavenumbers; these images cancel in the mean (Sefusatti et al. 2016, section
// 3).
#include "decomposition/mesh/density_modes.hpp"

#include <cmath>
#include <numbers>

#include "host/base/error.hpp"

namespace multiwalk {

HalfCellPhase::HalfCellPhase(std::uint32_t cells) : cells_(cells) {
  for (std::int64_t s = -cells_; s <= cells_ + cells_ / 2; ++s) {
    phase_.push_back(std::polar(1.0, std::numbers::pi * static_cast<double>(s) / static_cast<double>(cells_)));
  }
}

PencilMesh density_modes(const PeriodicParticles& particles, const MassSums& masses, std::uint32_t cells,
                         const DensityOptions& options, bool interlacing, const Communicator& comm) {
  require(options.mesh_shift == 0, "modes are of a mesh that is not shifted");
  PencilMesh modes = density_mesh(particles, masses, cells, options, comm);
  modes.to_modes();
  if (!interlacing) return modes;
  DensityOptions half = options;
  half.mesh_shift = 0.5;
  PencilMesh shifted = density_mesh(particles, masses, cells, half, comm);
  shifted.to_modes();
  const HalfCellPhase phase(cells);
  modes.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, std::complex<double>& mode) {
    mode = 0.5 * (mode + std::conj(phase(x, y, z)) * shifted.mode(modes.index(x), modes.index(y), modes.index(z)));
  });
  return modes;
}

}  // namespace multiwalk
