// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/plan/mean_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace multiwalk {

MeanList list_among(const MeanList& measured, ListGrowth growth, double from, double to) {
  MeanList list = measured;
  if (growth == ListGrowth::all_pairs) list.particles *= to / from;
  if (growth == ListGrowth::far_cells) {
    const double longer = std::log(std::max(10.0, to)) / std::log(std::max(10.0, from));
    list.cells *= longer;
    list.expanded_cells *= longer;
  }
  return list;
}

std::string mean_list_text(const MeanList& list) {
  const std::string expanded =
      list.expanded_cells > 0 ? fmt::format(" + {} x {:.1f} expanded cells", pairs_of_expansion, list.expanded_cells)
                              : "";
  return fmt::format("{:.0f} particles + {:.0f} cells{} = {:.0f} per particle", list.particles, list.cells, expanded,
                     list.total());
}

nlohmann::json mean_list_json(const MeanList& list) {
  return {{"pp", list.particles}, {"pc", list.cells}, {"expansions", list.expanded_cells}, {"raw", list.total()}};
}

}  // namespace multiwalk
