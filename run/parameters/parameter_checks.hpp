// SPDX-License-Identifier: GPL-3.0-or-later
// Conflicts between parameters whose values are each in range: what the sections (run/parameters/sections) are given to
// check them.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/error.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

class Checks {
 public:
  explicit Checks(const Parameters& parameters) : parameters_(parameters) {}

  using Names = std::initializer_list<std::string_view>;

  /// Unless `ok`, throws InputError with this text (of fmt::format) at the first of `keys` that the user gave.
  template <class... Values>
  void operator()(bool ok, Names keys, fmt::format_string<const Values&...> text, const Values&... values) const {
    if (!ok) complain(keys, fmt::format(text, values...));
  }
  /// The same with the text of an InputError that `check` throws.
  template <class Check>
  void pass(const Check& check, Names keys) const {
    try {
      check();
    } catch (const InputError& error) {
      complain(keys, error.what());
    }
  }
  /// That these redshifts lie between the start of a comoving run, unless a file decides on it, and its end.
  void in_run(std::string_view key, const std::vector<double>& redshifts) const;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  [[noreturn]] void complain(Names keys, const std::string& text) const;

  const Parameters& parameters_;
};

/// Throws InputError that names both keys and where they were given.
void check_conflicts(const Parameters& parameters);

/// Throws InputError if an output does not know the geometry of a curved universe. For runs from a snapshot: once their
/// cosmology is the snapshot's.
void check_geometry(const Parameters& parameters);

}  // namespace multiwalk
