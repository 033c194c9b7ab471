// SPDX-License-Identifier: GPL-3.0-or-later
// Units of files that do not state their own: texts such as "kpc/h", or numbers in cgs.
#pragma once

#include <optional>
#include <string_view>

#include "host/base/units.hpp"

namespace multiwalk {

enum class Dimension { length, mass, velocity };

/// A unit in cgs; `over_h`: to be divided by h.
struct FileUnit {
  double cgs = 0;
  bool over_h = false;
};

/// A factor (1 if absent) and a name, such as "kpc/h", "1e10 Msun/h" or "km/s"; or the unit in cgs as GADGET's
/// parameter files state it, a number that is to be divided by h unless it is a velocity. None if the text is neither.
std::optional<FileUnit> parse_file_unit(std::string_view text, Dimension dimension);

/// A unit of length in cgs, or the exact pc, kpc, Mpc or Gpc if it is that to 1e-5: codes round them in their own ways,
/// and a box of 50 should stay one of 50.
double exact_length(double cgs);

/// Units as GADGET's files state them, in cgs: lengths and masses are to be divided by h.
struct GadgetUnits {
  double length = units::cm_per_mpc;
  double mass = units::gram_per_1e10_msun;
  double velocity = units::cm_per_km;

  bool operator==(const GadgetUnits&) const = default;
};

/// The units that a user gives for a file.
struct GivenUnits {
  FileUnit length, mass, velocity;

  /// `h`: H0 / (100 km/s/Mpc).
  [[nodiscard]] GadgetUnits with(double h) const {
    const auto times_h = [h](const FileUnit& unit) { return unit.over_h ? unit.cgs : unit.cgs * h; };
    return {times_h(length), times_h(mass), velocity.cgs};
  }
};

}  // namespace multiwalk
