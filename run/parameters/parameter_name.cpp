// SPDX-License-Identifier: GPL-3.0-or-later
// Advice on names that are no parameters.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "run/files/nearest_word.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

std::string in_section(std::string_view section) {
  std::vector<std::string_view> keys;
  for (const ParameterKey& row : parameter_table()) {
    if (row.section() == section) keys.push_back(row.key());
  }
  return fmt::format("[{}] has {}", section, fmt::join(keys, ", "));
}

/// Edit distance of sections and keys; another section with the same key is one slip at most.
std::size_t distance(const ParameterKey& row, std::string_view section, std::string_view key) {
  const std::size_t sections = edit_distance(section, row.section());
  return edit_distance(key, row.key()) + (row.key() == key ? std::min<std::size_t>(sections, 1) : sections);
}

}  // namespace

std::vector<std::string_view> parameter_sections() {
  std::vector<std::string_view> sections;
  for (const ParameterKey& row : parameter_table()) {
    if (sections.empty() || sections.back() != row.section()) sections.push_back(row.section());
  }
  return sections;
}

std::string key_advice(std::string_view name) {
  const std::string_view section = name.substr(0, name.find('.'));
  const std::string_view key = name.substr(std::min(name.find('.') + 1, name.size()));
  const auto slips = [&](const ParameterKey& other) { return distance(other, section, key); };
  const ParameterKey& row = *std::ranges::min_element(parameter_table(), {}, slips);
  const bool near = is_near(key, row.key()) && (row.key() == key || is_near(section, row.section()));
  if (near) return "the nearest valid key is " + std::string(row.name);
  const std::vector<std::string_view> sections = parameter_sections();
  return std::ranges::find(sections, section) == sections.end() ? section_advice(section) : in_section(section);
}

std::string section_advice(std::string_view section) {
  const std::vector<std::string_view> sections = parameter_sections();
  const std::string_view nearest = nearest_word(section, sections);
  return nearest.empty() ? fmt::format("sections are {}", fmt::join(sections, ", "))
                         : fmt::format("the nearest is [{}]", nearest);
}

std::string bare_key_advice(std::string_view key) {
  const auto distance = [key](const ParameterKey& row) { return edit_distance(key, row.key()); };
  const ParameterKey& row = *std::ranges::min_element(parameter_table(), {}, distance);
  return is_near(key, row.key()) ? "the nearest valid key is " + std::string(row.name)
                                 : "write its [section] on the line above";
}

}  // namespace multiwalk
