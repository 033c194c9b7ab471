// SPDX-License-Identifier: GPL-3.0-or-later
// How the sections (run/parameters/sections) check that parameters agree with each other, once each value is in range.
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
  /// Calls `check`. If it throws InputError, throws one with its text at the first of `keys` that the user gave.
  template <class Check>
  void pass(const Check& check, Names keys) const {
    try {
      check();
    } catch (const InputError& error) {
      complain(keys, error.what());
    }
  }
  /// Checks that these redshifts lie between the start (unless a file sets it) and the end of a comoving run.
  void in_run(std::string_view key, const std::vector<double>& redshifts) const;

  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

 private:
  [[noreturn]] void complain(Names keys, const std::string& text) const;

  const Parameters& parameters_;
};

/// Throws InputError that names both keys and where they were given.
void check_conflicts(const Parameters& parameters);

/// Throws InputError if an output cannot handle a curved universe. Runs from a snapshot call it once they have the
/// snapshot's cosmology.
void check_geometry(const Parameters& parameters);

}  // namespace multiwalk
