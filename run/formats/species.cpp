// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/formats/species.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

/// The name of a type that is not dark matter; empty for dark matter.
std::string_view other_matter(std::size_t type, bool swift) {
  if (type == 0) return "gas";
  if (type == 4) return "star";
  if (swift && type == 3) return "sink";
  if (swift && type == 5) return "black hole";
  if (type == 6) return "neutrino";
  return type > 6 ? "unknown" : "";
}

}  // namespace

std::vector<Species> species_of(const TypeCounts& counts, bool swift, const std::string& file) {
  if (std::ranges::all_of(counts.total, [](std::uint64_t n) { return n == 0; }))
    throw InputError(file + ": holds no particles (NumPart_Total is 0)");
  std::vector<Species> species;
  for (std::size_t type = 0; type < std::max(counts.here.size(), counts.total.size()); ++type) {
    const std::uint64_t here = type < counts.here.size() ? counts.here[type] : 0;
    const std::uint64_t total = type < counts.total.size() ? counts.total[type] : 0;
    if (here == 0 && total == 0) continue;
    if (const std::string_view what = other_matter(type, swift); !what.empty()) {
      throw InputError(
          fmt::format("{}: holds {} {} particles (type {}), but only dark matter is simulated: make initial conditions "
                      "without them, "
                      "in which dark matter makes up all of omega_m",
                      file, std::max(here, total), what, type));
    }
    if (here > total || (counts.files == 1 && here != total)) {
      throw InputError(
          fmt::format("{}: NumPart_ThisFile = {} of type {} does not fit NumPart_Total = {}", file, here, type, total));
    }
    species.push_back({static_cast<int>(type), here, total, 0});
  }
  return species;
}

void set_masses(std::vector<Species>& species, std::span<const double> table, const std::string& file) {
  for (Species& each : species) {
    const auto type = static_cast<std::size_t>(each.type);
    if (type >= table.size()) throw InputError(fmt::format("{}: MassTable lacks type {}", file, type));
    each.mass = table[type];
    if (!std::isfinite(each.mass) || each.mass < 0)
      throw InputError(fmt::format("{}: has the particle mass {} in MassTable", file, each.mass));
  }
}

std::uint64_t particles_here(std::span<const Species> species) {
  std::uint64_t count = 0;
  for (const Species& each : species) count += each.here;
  return count;
}

std::uint64_t particles_in_all(std::span<const Species> species) {
  std::uint64_t count = 0;
  for (const Species& each : species) {
    const std::uint64_t sum = count + each.total;
    count = sum < count ? std::numeric_limits<std::uint64_t>::max() : sum;
  }
  return count;
}

}  // namespace multiwalk
