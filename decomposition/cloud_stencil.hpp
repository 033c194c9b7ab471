// Mass assignment along one axis by B-splines (Hockney & Eastwood 1988; Sefusatti et al. 2016, equations 7 to 10).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace multiwalk {

/// Clouds in cell, triangular-shaped clouds, piecewise cubic splines. The number is the order of the B-spline: how many
/// mesh points a cloud touches along an axis, and the power of sinc in its window.
enum class Assignment { cic = 2, tsc = 3, pcs = 4 };

/// A cloud's shares at the mesh points first, first + 1, ...; all >= 0 but for rounding, of sum 1.
template <int order>
struct CloudShares {
  std::int64_t first;
  double weight[order];
};

/// `place` in mesh spacings, below 2^62 in size, the point i standing at i.
template <int order>
CloudShares<order> cloud_shares(double place) {
  static_assert(order >= 2 && order <= 4);
  const double raised = order % 2 == 0 ? place : place + 0.5;
  auto base = static_cast<std::int64_t>(raised);  // std::floor is a call
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

/// Calls act(order), the order a compile-time constant.
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

/// Cells that a triangular-shaped cloud touches and its shares there. What would lie outside goes to the cell at the
/// edge.
struct CloudStencil {
  std::int64_t cell[3];
  double weight[3];
};

/// `place` in cells from the lower edge, of `cells` cells.
inline CloudStencil cloud_stencil(double place, std::int64_t cells) {
  const CloudShares<3> shares = cloud_shares<3>(place - 0.5);
  CloudStencil stencil{};
  for (int i = 0; i < 3; ++i) {
    stencil.cell[i] = std::clamp<std::int64_t>(shares.first + i, 0, cells - 1);
    stencil.weight[i] = shares.weight[i];
  }
  return stencil;
}

}  // namespace multiwalk
