// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the choices that a user has about forces, in parameter files, on the command line and in figures.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "host/tree/gravity_options.hpp"

namespace multiwalk {

/// In the order of Mac.
inline constexpr auto mac_names = [] {
  std::array<std::string_view, mac_words.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = mac_words[i].name;
  return names;
}();
/// In the order of MultipoleOrder.
inline constexpr std::array<std::string_view, 2> multipole_names{"monopole", "quadrupole"};
/// In the order of Accuracy.
inline constexpr std::array<std::string_view, 4> accuracy_names{"fast", "standard", "reference", "custom"};
/// In the order of Accumulation.
inline constexpr std::array<std::string_view, 5> accumulation_names{"plain", "chamomile", "compensated", "mixed",
                                                                    "full"};
/// In the order of Splitting.
inline constexpr std::array<std::string_view, 2> splitting_names{"single", "hi_lo"};

/// The index of a name in such a list; `what` names the list. Throws InputError that lists the valid names.
std::size_t place_of(const std::string& name, std::span<const std::string_view> names, const char* what);

std::string mac_name(Mac mac);
std::string multipole_name(MultipoleOrder order);

}  // namespace multiwalk
