// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/power_facts.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "ic/power/linear_power.hpp"

namespace multiwalk {

PowerFacts power_facts(const Parameters& parameters) {
  const ModelKind kind = parameters.model.kind;
  if (kind != ModelKind::box && kind != ModelKind::sphere) return {};
  return LinearPower::of(parameters.cosmology, parameters.ic.transfer_file).facts();
}

bool is_idle_power_key(const Parameters& parameters, std::string_view name) {
  constexpr std::array<std::string_view, 5> keys{"omega_b", "n_s", "sigma8", "a_s", "shape_gamma"};
  constexpr std::string_view section = "cosmology.";
  if (!parameters.power || !name.starts_with(section)) return false;
  name.remove_prefix(section.size());
  return std::ranges::find(keys, name) != keys.end() && !parameters.power->contains(std::string(name));
}

}  // namespace multiwalk
