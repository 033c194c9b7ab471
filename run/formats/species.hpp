// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of particles in a snapshot: all of its dark matter is read, and nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace multiwalk {

/// A type of particles that a set of files holds.
struct Species {
  int type = 1;
  std::uint64_t here = 0, total = 0;  ///< particles in this file, in the set
  double mass = 0;                    ///< of each, in the file's unit; 0: each has its own

  bool same_set(const Species& other) const { return type == other.type && total == other.total && mass == other.mass; }
};

/// Counts by type, as a header has them.
struct TypeCounts {
  std::vector<std::uint64_t> here, total;
  std::uint64_t files = 1;
};

/// The species of a file. Throws InputError, headed by `file`, if there are none, if the counts contradict each other,
/// or if there are gas, stars or others that gravity alone does not move. `swift`: types 3 and 5 are sinks and black
/// holes; in GADGET's files they are dark matter of zoom simulations.
std::vector<Species> species_of(const TypeCounts& counts, bool swift, const std::string& file);

/// Sets the mass of each species from MassTable, whose entries may be missing for absent types only. Throws InputError.
void set_masses(std::vector<Species>& species, std::span<const double> table, const std::string& file);

std::uint64_t particles_here(std::span<const Species> species);
/// Particles in the whole set; at most 2^64 - 1.
std::uint64_t particles_in_all(std::span<const Species> species);

}  // namespace multiwalk
