// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/force_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/base/error.hpp"

namespace multiwalk {

std::size_t place_of(const std::string& name, std::span<const std::string_view> names, const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InputError(fmt::format("unknown {} '{}': use {}", what, name, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string mac_name(Mac mac) {
  return std::string(mac_names.at(static_cast<std::size_t>(mac)));
}

std::string multipole_name(MultipoleOrder order) {
  return std::string(multipole_names.at(static_cast<std::size_t>(order)));
}

}  // namespace multiwalk
