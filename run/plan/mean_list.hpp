// SPDX-License-Identifier: GPL-3.0-or-later
// The interactions of a particle in one evaluation of the forces: measured on a small model, continued to a large one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// Means over particles.
struct MeanList {
  double particles = 0;       ///< that act on it
  double cells = 0;           ///< that act on it alone
  double expanded_cells = 0;  ///< that act on its group, each divided among the group's particles

  MeanList() = default;
  MeanList(const RawCount& raw, double targets)
      : particles(static_cast<double>(raw.particle_pairs) / targets),
        cells(static_cast<double>(raw.cell_pairs) / targets),
        expanded_cells(static_cast<double>(raw.expansions) / targets) {}

  /// As RawCount::total: an expanded cell counts as pairs_of_expansion interactions (host/gravity/EXPANSIONS.md).
  [[nodiscard]] double total() const { return particles + cells + pairs_of_expansion * expanded_cells; }
};

/// How lists depend on the number of particles.
enum class ListGrowth {
  none,       ///< the relative criterion's: from 10^5 to 10^6 particles lists shrink by 7 to 26% (measured)
  far_cells,  ///< opening angles: as many near particles, distant cells grow with the logarithm
  all_pairs   ///< a list names all particles
};

/// The list among `to` particles if it is `measured` among `from`, at the same density.
MeanList list_among(const MeanList& measured, ListGrowth growth, double from, double to);

/// "634 particles + 256 cells + 16 x 8.6 expanded cells = 1028 per particle"; the third kind only if there is any.
std::string mean_list_text(const MeanList& list);
/// Keys as in the JSON of `bench forces`.
nlohmann::json mean_list_json(const MeanList& list);

}  // namespace multiwalk
