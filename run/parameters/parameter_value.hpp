// SPDX-License-Identifier: GPL-3.0-or-later
// One value of the parameter file: from a TOML node to the field, with units and range.
#pragma once

#include <optional>
#include <string>

#include "run/parameters/parameter_table.hpp"
#include "run/parameters/toml.hpp"

namespace multiwalk {

/// The facts needed to convert lengths.
struct UnitContext {
  double h = 0.6766;
  bool model_units = false;  ///< Newtonian models: a length cannot carry a unit
};

/// A length such as "20 Mpc/h", "30 Mpc" or "20" in Mpc/h, or a plain number in model units; none if it is not a
/// length.
std::optional<double> length_of(const std::string& text, const UnitContext& context);

/// Stores the node's value. `where` (file:line) heads the message of the InputError for a wrong type, unit or range.
void set_parameter(const ParameterKey& key, const toml::node& node, const std::string& where,
                   const UnitContext& context);

}  // namespace multiwalk
