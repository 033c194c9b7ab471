// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/unsaid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/error.hpp"

namespace multiwalk {

void Unsaid::expect_given(const CosmologyParameters& of_file, const std::string& path) const {
  constexpr double rounding = 1e-5;
  using C = CosmologyParameters;
  constexpr std::pair<const char*, double C::*> numbers[] = {{"omega_m", &C::omega_m},
                                                             {"omega_lambda", &C::omega_lambda},
                                                             {"omega_b", &C::omega_b},
                                                             {"h", &C::h},
                                                             {"n_s", &C::n_s},
                                                             {"sigma8", &C::sigma8},
                                                             {"a_s", &C::a_s},
                                                             {"w0", &C::w0},
                                                             {"wa", &C::wa},
                                                             {"t_cmb", &C::t_cmb},
                                                             {"shape_gamma", &C::shape_gamma}};
  const auto expect = [&](const std::string& name, auto ours, auto theirs, double most) {
    if (!given.contains("cosmology." + name) || std::fabs(ours - theirs) <= most) return;
    throw InputError(fmt::format("{}: states {} = {}, and cosmology.{} = {} is given: leave it out", path, name, theirs,
                                 name, ours));
  };
  for (const auto& [name, member] : numbers) {
    const double ours = cosmology.*member, theirs = of_file.*member;
    expect(name, ours, theirs, rounding * std::max(std::fabs(ours), std::fabs(theirs)));
  }
  expect("radiation", static_cast<int>(cosmology.radiation), static_cast<int>(of_file.radiation), 0);
}

Unsaid Unsaid::of(const Parameters& parameters) {
  Unsaid unsaid;
  unsaid.cosmology = parameters.cosmology;
  for (const auto& key : parameters.given)
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
