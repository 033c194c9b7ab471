// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/parameter_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/nearest_word.hpp"

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

ParameterKey& Keys::add(ParameterKey row) const {
  row.idle = idle_;
  if (row.unit == "Mpc/h") row.quantity = Quantity::mpc_per_h;
  if (row.unit == "kpc/h") row.quantity = Quantity::kpc_per_h;
  if (row.unit == "h") row.quantity = Quantity::hours;
  return rows_.emplace_back(std::move(row));
}

std::vector<ParameterKey> parameter_keys(Parameters& parameters, const RunStart& start) {
  std::vector<ParameterKey> rows;
  parameters.describe(Keys(parameters, start, rows));
  return rows;
}

std::span<const ParameterKey> parameter_table() {
  static Parameters defaults;
  static const std::vector<ParameterKey> rows = parameter_keys(defaults);
  return rows;
}

const ParameterKey* find_parameter(std::string_view name) {
  const std::span<const ParameterKey> table = parameter_table();
  const auto found = std::ranges::find(table, name, &ParameterKey::name);
  return found == table.end() ? nullptr : &*found;
}

std::size_t place_of(const std::string& name, std::span<const std::string_view> names, const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InputError(fmt::format("unknown {} '{}': use {}", what, name, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::string allowed_values(const ParameterKey& key) {
  if (std::holds_alternative<bool*>(key.field)) return "true, false";
  const auto* choice = std::get_if<Choice>(&key.field);
  return choice != nullptr ? fmt::format("{}", fmt::join(choice->words.names, ", ")) : key.range.text();
}

std::string idle_settings(Parameters asked, Parameters used, const ParticleSystem& system) {
  const RunStart start{system.frame == Frame::comoving, system.boundary == Boundary::periodic, system.time};
  const std::vector<ParameterKey> wanted = parameter_keys(asked), rows = parameter_keys(used, start);
  std::string text;
  std::string_view last;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ParameterKey& row = rows[i];
    const bool given = asked.given.contains(row.name);
    const std::string value = format_parameter(wanted[i]);
    const bool replaced = value != format_parameter(row), is_default = value == format_parameter(parameter_table()[i]);
    if ((row.follows_others && !given) || (is_default && !(replaced && given))) continue;
    const std::string_view why = row.idle.empty() && replaced ? "the snapshot states its own" : row.idle;
    if (why.empty()) continue;
    // Consecutive keys with the same reason share its text.
    if (why == last) text.erase(text.size() - why.size() - 3);
    text += (text.empty() ? "" : ", ") + std::string(row.name) + " (" + std::string(why) + ")";
    last = why;
  }
  return text;
}

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
