// SPDX-License-Identifier: GPL-3.0-or-later
// Nearest valid parameter by edit distance (Wagner & Fischer 1974).
#include <algorithm>
#include <numeric>
#include <string>

#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t longest_compared = 100;  // no valid name is nearly as long

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest_parameter(std::string_view name) {
  name = name.substr(0, longest_compared);
  const std::size_t dot = name.find('.');
  const std::string_view key = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const auto distance = [&](const ParameterKey& row) {
    if (dot == std::string_view::npos) return edit_distance(key, row.key());
    const std::size_t sections = edit_distance(name.substr(0, dot), row.section());
    return edit_distance(key, row.key()) + (row.key() == key ? std::min<std::size_t>(sections, 1) : sections);
  };
  return std::ranges::min_element(parameter_table(), {}, distance)->name;
}

std::string key_advice(std::string_view name) {
  name = name.substr(0, longest_compared);
  const std::string_view nearest = nearest_parameter(name);
  const std::string_view key = name.substr(std::min(name.find('.') + 1, name.size()));
  const std::string_view section = name.substr(0, name.find('.'));
  const ParameterKey* row = find_parameter(nearest);
  const bool close = row->key() == key || edit_distance(key, row->key()) <= std::max<std::size_t>(1, key.size() / 3);
  std::string keys;
  for (const ParameterKey& other : parameter_table()) {
    if (other.section() == section) keys += (keys.empty() ? "" : ", ") + std::string(other.key());
  }
  if (close || keys.empty()) return "the nearest valid key is " + std::string(nearest);
  return "[" + std::string(section) + "] has " + keys;
}

}  // namespace multiwalk
