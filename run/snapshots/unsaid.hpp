// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that files of other codes need not state, taken from the parameters of a run.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/cosmology/expansion.hpp"
#include "run/formats/file_units.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Taken where a file states nothing of its own.
struct Unsaid {
  CosmologyParameters cosmology;
  std::set<std::string> given;      ///< keys of [cosmology] that were given, not left at defaults
  std::optional<GivenUnits> units;  ///< model.units
  std::optional<double> redshift;   ///< ic.z_start, if given

  /// Throws InputError headed by `path` if a file's cosmology differs by more than 1e-5 from one that was given.
  void expect_given(const CosmologyParameters& of_file, const std::string& path) const;

  static Unsaid of(const Parameters& parameters);
  /// From settings "section.key=value". Throws InputError.
  static Unsaid of(const std::vector<std::string>& settings);
};

}  // namespace multiwalk
