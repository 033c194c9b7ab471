// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

Unsaid Unsaid::of(const Parameters& parameters) {
  Unsaid unsaid;
  unsaid.cosmology = parameters.cosmology;
  unsaid.densities_given = parameters.given.contains("cosmology.omega_m") && parameters.given.contains("cosmology.h");
  if (parameters.given.contains("ic.z_start")) unsaid.redshift = parameters.ic.z_start;
  const FileUnitParameters& units = parameters.file_units;
  const auto length = parse_file_unit(units.length, Dimension::length);
  const auto mass = parse_file_unit(units.mass, Dimension::mass);
  const auto velocity = parse_file_unit(units.velocity, Dimension::velocity);
  if (length && mass && velocity) unsaid.units = GivenUnits{*length, *mass, *velocity};
  return unsaid;
}

Unsaid Unsaid::of(const std::vector<std::string>& settings) {
  if (settings.empty()) return {};
  std::vector<std::string> all{"model.kind=file", "model.file=snapshot"};
  all.insert(all.end(), settings.begin(), settings.end());
  return of(parse_parameters("", "--set", all));
}

}  // namespace multiwalk
