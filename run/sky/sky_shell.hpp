// SPDX-License-Identifier: GPL-3.0-or-later
// Shells of a light cone and their files.
#pragma once

#include <string>
#include <vector>

#include "analysis/sky/sky_counts.hpp"
#include "analysis/sky/sky_view.hpp"
#include "host/cosmology/expansion.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// What a reader of a shell's counts needs to know.
struct SkyShell {
  std::uint32_t number = 0;  ///< from the observer, from 0
  double near = 0, far = 0;  ///< comoving distance, Mpc/h: near <= distance < far
  double z_near = 0, z_far = 0;
  std::uint64_t particles = 0;  ///< counted
  double density = 0;           ///< mean number of particles per (Mpc/h)^3
  double mass = 0;              ///< of a particle, 1e10 Msun/h
  double seen = 0;              ///< solid angle of the opening, steradian
  CosmologyParameters cosmology = {};

  /// Particles in a pixel of a homogeneous universe.
  [[nodiscard]] double expected(std::uint64_t pixels) const;
};

/// Borders of the shells, comoving Mpc/h, rising. Throws InputError if they leave the light cone.
std::vector<double> shell_borders(const LightConeParameters& parameters, const Expansion& expansion);

/// The observer in a system, as the parameters describe him.
SkyView sky_view(const LightConeParameters& parameters, double period);

/// Solid angle of the opening.
double solid_angle(const SkyView& view);

/// Name of a shell's files without ending.
std::string shell_stem(std::uint32_t number);

/// Writes STEM.fits and STEM.hdf5: all pixels of a full sky; otherwise those whose centre is seen or which have
/// particles, with their numbers. Throws Error, with nothing left under the final names.
void write_shell(const std::string& stem, const SkyShell& shell, const SkyCounts& counts, const SkyView& view);

/// A shell as its HDF5 file has it.
struct StoredShell {
  SkyShell shell;
  std::uint32_t nside = 0;
  std::vector<std::uint64_t> pixel;  ///< nested; empty: all of them
  std::vector<std::uint32_t> count;
};

/// Throws InputError.
StoredShell read_shell(const std::string& path);

}  // namespace multiwalk
