// SPDX-License-Identifier: GPL-3.0-or-later
// Halos on a light cone: friends of friends among the particles that crossed it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/halos/halo.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/cosmology/expansion.hpp"

namespace multiwalk {

struct ConeHaloOptions {
  double near = 0, far = 0;   ///< of the cone, comoving Mpc/h
  double linking_length = 0;  ///< comoving Mpc/h
  std::uint64_t min_particles = 0;
  std::uint64_t at_once = 0;  ///< particles that are in memory together, over all ranks
  double margin = 0;          ///< by which slices overlap at first, comoving Mpc/h
};

/// Particles stored by ConeRows: the first `rows` rows of a file.
struct ConePart {
  std::string path;
  std::uint64_t rows = 0;
};

/// The groups whose centres have near <= distance < far, by rising distance, on rank 0. Each rank gives its own parts.
/// The cone is searched in slices of distance that overlap so far that no group is cut; groups at the borders of the
/// cone lack what is beyond. Positions are relative to the observer. Halo::id is the place of a member in all rows.
/// Without spherical overdensities. Collective.
std::vector<Halo> find_cone_halos(std::span<const ConePart> own, const ConeHaloOptions& options,
                                  const Communicator& comm);

/// Writes the halos as the group Halos of an HDF5 file, with their redshifts, and `header` as attributes of Header.
/// Throws Error; then no file is left under the final name.
void write_cone_halos(const std::string& path, std::span<const Halo> halos, const Expansion& expansion,
                      std::span<const std::pair<std::string, double>> header);

}  // namespace multiwalk
