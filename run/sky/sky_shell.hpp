// SPDX-License-Identifier: GPL-3.0-or-later
// Shells of a light cone and their files.
#pragma once

#include <string>
#include <vector>

#include "analysis/sky/sky_view.hpp"
#include "host/cosmology/expansion.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

constexpr double unseen_sky = -1.6375e30;  ///< HEALPix's value of pixels without data

/// The metadata of a shell's counts.
struct SkyShell {
  std::uint32_t number = 0;  ///< counted from 0, from the observer outwards
  double near = 0, far = 0;  ///< comoving distance, Mpc/h: near <= distance < far
  double z_near = 0, z_far = 0;
  std::uint64_t particles = 0;  ///< number counted
  double density = 0;           ///< mean number of particles per (Mpc/h)^3
  double mass = 0;              ///< of a particle, 1e10 Msun/h
  double seen = 0;              ///< solid angle of the opening, steradian
  CosmologyParameters cosmology = {};

  /// The number of particles in a pixel if the universe were homogeneous.
  [[nodiscard]] double expected(std::uint64_t pixels) const;
};

/// Borders of the shells, comoving Mpc/h, increasing. Throws InputError if they lie outside the light cone.
std::vector<double> shell_borders(const LightConeParameters& l, const Expansion& expansion);

/// The observer's view, as the parameters describe it.
SkyView sky_view(const LightConeParameters& l, double period);

/// Solid angle of the opening.
double solid_angle(const SkyView& view);

/// Name of a shell's files without the extension.
std::string shell_stem(std::uint32_t number);

/// A shell as read from its HDF5 file.
struct StoredShell {
  SkyShell shell;
  std::uint32_t nside = 0;
  std::vector<std::uint64_t> pixel;  ///< in nested order; empty: all pixels
  std::vector<std::uint32_t> count;
};

/// Throws InputError.
StoredShell read_shell(const std::string& path);

}  // namespace multiwalk
