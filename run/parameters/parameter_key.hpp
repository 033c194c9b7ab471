// SPDX-License-Identifier: GPL-3.0-or-later
// One key of the parameter file, a row of the table: its value in some Parameters, and what reading, writing, listing
// and restarts need to know of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace multiwalk {

/// An interval of allowed numbers; NaN and infinities are never in it.
struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool lo_open = false;
  bool hi_open = false;

  static constexpr Range from(double lo) { return {.lo = lo}; }
  static constexpr Range between(double lo, double hi) { return {.lo = lo, .hi = hi}; }
  static constexpr Range above(double lo, double hi = std::numeric_limits<double>::infinity()) {
    return {.lo = lo, .hi = hi, .lo_open = true};
  }

  [[nodiscard]] bool contains(double value) const;
  [[nodiscard]] std::string text() const;  ///< "0 < x <= 2"; empty if unbounded
};

/// The unit that a string such as "150 Mpc" is converted to; for texts, the kind of unit that the text names, or that
/// it is a path.
enum class Quantity { plain, mpc_per_h, kpc_per_h, hours, unit_of_length, unit_of_mass, unit_of_velocity, path };

/// The words that a value may be.
struct WordList {
  std::vector<std::string_view> names;

  WordList(std::initializer_list<std::string_view> words) : names(words) {}
  template <std::size_t n>
  WordList(const std::array<std::string_view, n>& words) : names(words.begin(), words.end()) {}
};

/// A value that is one of these words, stored as its index.
struct Choice {
  WordList words;
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;

  [[nodiscard]] std::string_view word() const { return words.names.at(get()); }
};

using Field = std::variant<bool*, int*, std::uint32_t*, std::uint64_t*, double*, std::optional<double>*, std::string*,
                           std::vector<int>*, std::vector<double>*, Choice>;

struct ParameterKey {
  std::string_view name;  ///< "section.key"
  Field field;
  std::string_view help;
  Range range = {};
  std::string_view unit = {};
  Quantity quantity = Quantity::plain;
  std::optional<double> automatic = {};  ///< the value of the word "auto"
  std::string_view idle = {};            ///< why it has no effect in this run; empty if it has
  bool follows_others = false;           ///< unless it is given
  bool ends_run = false;                 ///< a restart changes it to go on, or to end earlier
  bool outside_power = false;            ///< the run has a linear power that does not depend on it

  [[nodiscard]] std::string_view section() const { return name.substr(0, name.find('.')); }
  [[nodiscard]] std::string_view key() const { return name.substr(name.find('.') + 1); }
  [[nodiscard]] bool is_length() const { return quantity == Quantity::mpc_per_h || quantity == Quantity::kpc_per_h; }

  // For the sections, which describe their keys:
  ParameterKey& is(Quantity of) { return quantity = of, *this; }
  ParameterKey& auto_is(double value) { return automatic = value, *this; }
  ParameterKey& follows() { return follows_others = true, *this; }
  ParameterKey& ends() { return ends_run = true, *this; }
  /// It has an effect only if `used`; `runs` says in which runs that is. The first reason counts.
  ParameterKey& only(bool used, std::string_view runs) {
    if (!used && idle.empty()) idle = runs;
    return *this;
  }
  /// It shapes the linear power, whose facts (PowerFacts) are given once they are known.
  template <class Facts>
  ParameterKey& shapes(const std::optional<Facts>& power) {
    outside_power = power && !power->contains(std::string(key()));
    return only(!outside_power, "this linear power does not depend on it");
  }
};

}  // namespace multiwalk
