// SPDX-License-Identifier: GPL-3.0-or-later
// Multipole acceptance criteria: all differences between them. A cell is accepted if its centre of mass is farther than
// its opening radius from the group's box (a single particle's box is a point). A cell that contains the group is
// always opened, by the walk.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// The rows of mac_words describe them.
enum class Mac { bh86, barnes90, offset, relative };

struct MacWords {
  std::string_view name, help;
};

/// In the order of Mac; s is the cell's side, d the distance to its centre of mass.
inline constexpr std::array<MacWords, 4> mac_words{
    {{"bh86", "s < theta d, one list per particle (Barnes & Hut 1986)"},
     {"barnes90", "s < theta d, d from the tight box of a group (Barnes 1990)"},
     {"offset", "the same with d less the offset of the centre of mass from the cell's centre (Bedorf et al. 2012)"},
     {"relative",
      "G M s^2/d^4 < alpha |a|, |a| the smallest of the group in the previous step, and s < d (Springel 2005)"}}};

/// The properties of a cell on which a criterion depends.
struct CellShape {
  double side = 0;
  Vec3d centre, centre_of_mass;
};

/// A criterion with its constants.
struct OpeningCriterion {
  Mac mac = Mac::barnes90;
  double theta = 0.6;
  double alpha = 0.005;  ///< of the relative criterion, which does not use theta

  /// Whether the accelerations of the previous step decide.
  [[nodiscard]] MULTIWALK_HOST_DEVICE bool relative() const { return mac == Mac::relative; }
  /// Whether each particle has a list of its own.
  [[nodiscard]] bool walks_singly() const { return mac == Mac::bh86; }

  /// Distance beyond which the cell may be used; relative: the outer bound of the test below.
  [[nodiscard]] MULTIWALK_HOST_DEVICE double opening_radius(const CellShape& cell) const {
    switch (mac) {
      case Mac::bh86:
      case Mac::barnes90:
        return cell.side / theta;
      case Mac::offset:
        return cell.side / theta + norm(cell.centre_of_mass - cell.centre);
      case Mac::relative:
        return cell.side;
    }
    return 0;
  }
  /// Side of the largest cell that may be used at a distance.
  [[nodiscard]] double largest_side(double distance) const { return (relative() ? 1 : theta) * distance; }

  /// The relative criterion as d^2 > strength of the cell x scale of the group (Springel 2005 eq. 18).
  [[nodiscard]] static MULTIWALK_HOST_DEVICE double strength(double gravitational_constant, double mass, double side) {
    return std::sqrt(gravitational_constant * mass) * side;
  }
  [[nodiscard]] MULTIWALK_HOST_DEVICE double scale(double smallest_acceleration) const {
    return smallest_acceleration > 0 ? 1 / std::sqrt(alpha * smallest_acceleration) : 1e300;
  }
  /// Local expansions: a cell of side s may act on a group of radius rho through an expansion of order P about its
  /// centre, at a distance d, if the terms that are dropped stay below a fraction of the criterion's own error,
  ///   (rho/d)^P (1 + P (P-1)/48 (s/rho)^2) <= limit x alpha |a| d^2 / G M (relative) or limit (others),
  /// and rho + s/2 <= most d. The sum holds dropped terms of the cell's mass and of its second moment: those of order
  /// P + 1, with s^2/12 for the square of a uniform cube's extent along an axis. The limit grows with P because the
  /// mean of |u|^P over the group falls.
  static constexpr double most_expanded = 0.8;
  [[nodiscard]] MULTIWALK_HOST_DEVICE double expansion_limit(int expansion_order) const {
    return expansion_order * (relative() ? 0.0012 : theta * theta * theta / 250);
  }
  /// The criterion for the very first forces, when no accelerations are known yet.
  [[nodiscard]] OpeningCriterion without_accelerations() const { return {Mac::barnes90, std::min(theta, 0.7), alpha}; }
};

}  // namespace multiwalk
