// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of numbers on the command line, whose messages say what is allowed.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "analysis/sums/sampling.hpp"
#include "host/base/error.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace detail {

template <class Allowed>
CLI::Validator finite_number(const std::string& what, Allowed allowed) {
  return {[what, allowed](std::string& text) -> std::string {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && allowed(value)) return "";
            return text + " is not " + what;
          },
          ""};
}

inline std::string number_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace detail

inline CLI::Validator number_from_zero() {
  return detail::finite_number("a number >= 0", [](double value) { return value >= 0; });
}

/// low <= x <= high. In place of CLI::Range, which lets NaN pass.
inline CLI::Validator number_between(double low, double high) {
  return detail::finite_number("a number from " + detail::number_text(low) + " to " + detail::number_text(high),
                               [low, high](double value) { return value >= low && value <= high; });
}

/// The range of a key of the parameter file, "section.key".
inline CLI::Validator within_range_of(const char* key) {
  const ParameterKey* const row = find_parameter(key);
  require(row != nullptr, std::string("there is no key ") + key);
  return detail::finite_number("a number " + row->range.text() + ", as " + key + " must be",
                               [range = row->range](double value) { return range.contains(value); });
}

/// Refuses text that a parser would accept as a number: -1, or too many digits.
inline CLI::Validator whole_number(std::uint64_t least = 0) {
  return {[least](std::string& text) -> std::string {
            std::uint64_t value = 0;
            const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
            if (digits && text.size() < 20 && CLI::detail::lexical_cast(text, value) && value >= least) return "";
            return text + " is not a whole number >= " + std::to_string(least);
          },
          ""};
}

/// For transform(): a whole number, or "all", which becomes Sample::all.
inline CLI::Validator sample_size(std::uint64_t least) {
  return {[least](std::string& text) -> std::string {
            if (text == "all") text = std::to_string(Sample::all);
            if (text == std::to_string(Sample::all)) return "";  // a text may be transformed again
            const std::string fault = whole_number(least)(text);
            return fault.empty() ? "" : fault + ", nor all";
          },
          ""};
}

}  // namespace multiwalk
