// SPDX-License-Identifier: GPL-3.0-or-later
// The one table of parameter keys: name, place in Parameters, unit, range and help drive reading, checking, echo and
// the parameter page.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// An interval of allowed numbers; NaN and infinities are never in it.
struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool lo_open = false;
  bool hi_open = false;

  [[nodiscard]] bool contains(double value) const;
  [[nodiscard]] std::string text() const;  ///< "0 < x <= 2"; empty if unbounded
};

/// The unit to which a string value such as "150 Mpc" is converted; or, of a text, the unit that it names, or that it
/// is a path.
enum class Quantity { plain, mpc_per_h, kpc_per_h, hours, unit_of_length, unit_of_mass, unit_of_velocity, path };

template <class T>
using MemberOf = T& (*)(Parameters&);

/// One word of a fixed set.
struct Choice {
  std::span<const std::string_view> names;
  std::size_t (*get)(const Parameters&);
  void (*set)(Parameters&, std::size_t);
};

using Field = std::variant<MemberOf<bool>, MemberOf<int>, MemberOf<std::uint32_t>, MemberOf<std::uint64_t>,
                           MemberOf<double>, MemberOf<std::optional<double>>, MemberOf<std::string>,
                           MemberOf<std::vector<int>>, MemberOf<std::vector<double>>, Choice>;

struct ParameterKey {
  std::string_view name;  ///< "section.key"
  Field field;
  std::string_view help;
  Range range = {};
  std::string_view unit = {};
  Quantity quantity = Quantity::plain;
  std::optional<double> automatic = {};  ///< the value of the word "auto"

  [[nodiscard]] std::string_view section() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] std::string_view key() const { return name.substr(name.find('.') + 1); }
};

/// All keys, section by section in the order of the page.
std::span<const ParameterKey> parameter_table();

/// Row of "section.key"; null if there is none.
const ParameterKey* find_parameter(std::string_view name);

/// Sections in the order of the page.
std::vector<std::string_view> parameter_sections();

/// Advice on an unknown "section.key": the same key elsewhere, a key with a similar name, or the keys of the
/// section.
std::string key_advice(std::string_view name);
/// Advice on an unknown section: one with a similar name, or all.
std::string section_advice(std::string_view section);
/// Advice on a key above all sections.
std::string bare_key_advice(std::string_view key);

}  // namespace multiwalk
