// SPDX-License-Identifier: GPL-3.0-or-later
// Mass assignment along one axis by B-splines (Hockney & Eastwood 1988; Sefusatti et al. 2016, equations 7 to 10).
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "host/base/host_device.hpp"

namespace multiwalk {

/// Clouds in cell, triangular-shaped clouds, piecewise cubic splines. The number is the order of the B-spline: how many
/// mesh points a cloud touches along an axis, and the power of sinc in its window.
enum class Assignment { cic = 2, tsc = 3, pcs = 4 };

/// A cloud's shares at the mesh points first, first + 1, ...; all >= 0 up to rounding; their sum is 1.
template <int order>
struct CloudShares {
  std::int64_t first;
  double weight[order];
};

/// `place`: in mesh spacings, below 2^62 in size; point i is at i.
template <int order>
MULTIWALK_HOST_DEVICE CloudShares<order> cloud_shares(double place) {
  static_assert(order >= 2 && order <= 4);
  const double raised = order % 2 == 0 ? place : place + 0.5;
  auto base = static_cast<std::int64_t>(raised);  // std::floor would be a function call
  base -= static_cast<double>(base) > raised ? 1 : 0;
  const double d = place - static_cast<double>(base), e = 1 - d;
  const std::int64_t first = base - (order - 1) / 2;
  if constexpr (order == 2) {
    return {first, {e, d}};
  } else if constexpr (order == 3) {
    return {first, {0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)}};
  } else {
    return {first, {e * e * e / 6, (4 + 3 * d * d * (d - 2)) / 6, (4 + 3 * e * e * (e - 2)) / 6, d * d * d / 6}};
  }
}

/// Calls act(order) with the order as a compile-time constant.
template <class Act>
void with_order(Assignment assignment, Act act) {
  switch (assignment) {
    case Assignment::cic:
      return act(std::integral_constant<int, 2>());
    case Assignment::tsc:
      return act(std::integral_constant<int, 3>());
    case Assignment::pcs:
      return act(std::integral_constant<int, 4>());
  }
}

/// Position in mesh spacings on a periodic mesh with `cells` per side whose point i is at i + shift: in [0, cells) up
/// to rounding. `turns`: the coordinate in box sizes.
MULTIWALK_HOST_DEVICE double mesh_place(double turns, double cells, double shift) {
  const double place = (turns - std::floor(turns)) * cells - shift;
  return place < 0 ? place + cells : place;
}

/// The mesh point equivalent to a point that is at most one mesh size outside.
MULTIWALK_HOST_DEVICE std::uint32_t periodic_point(std::int64_t point, std::uint32_t cells) {
  return static_cast<std::uint32_t>(point < 0 ? point + cells : point >= cells ? point - cells : point);
}

/// sinc(pi n / N)^order, the window of a mass assignment along one axis.
double assignment_window(Assignment assignment, double n, double cells);

}  // namespace multiwalk
