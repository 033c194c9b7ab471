// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/unsaid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

/// The value as a number, true and false as 1 and 0; none for other values.
std::optional<double> number_of(const ParameterKey& key) {
  if (const auto* number = std::get_if<double*>(&key.field)) return **number;
  if (const auto* flag = std::get_if<bool*>(&key.field)) return **flag ? 1 : 0;
  return std::nullopt;
}

}  // namespace

void Unsaid::expect_given(const CosmologyParameters& of_file, const std::string& path) const {
  constexpr double rounding = 1e-5;
  Parameters here, there;
  here.cosmology = cosmology;
  there.cosmology = of_file;
  const std::vector<ParameterKey> ours = parameter_keys(here), theirs = parameter_keys(there);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::optional<double> a = number_of(ours[i]), b = number_of(theirs[i]);
    if (!a || !given.contains(std::string(ours[i].name))) continue;
    if (std::fabs(*a - *b) <= rounding * std::max(std::fabs(*a), std::fabs(*b))) continue;
    throw InputError(fmt::format("{}: states {} = {}, and {} = {} is given: leave it out", path, ours[i].key(), *b,
                                 ours[i].name, *a));
  }
}

Unsaid Unsaid::of(const Parameters& parameters) {
  Unsaid unsaid;
  unsaid.cosmology = parameters.cosmology;
  for (const auto& [key, text] : parameters.given)
    if (key.starts_with("cosmology.")) unsaid.given.insert(std::string(key));
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
