// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/formats/box_filling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "decomposition/ranks/agree.hpp"

namespace multiwalk {

namespace {

/// The longest run of empty slabs in a ring of them, as a part of the ring.
double longest_gap(const std::vector<std::uint64_t>& seen) {
  std::size_t longest = 0, run = 0;
  for (std::size_t i = 0; i < 2 * seen.size(); ++i) {
    run = seen[i % seen.size()] > 0 ? 0 : run + 1;
    longest = std::max(longest, run);
  }
  return static_cast<double>(std::min(longest, seen.size())) / static_cast<double>(seen.size());
}

}  // namespace

void BoxFilling::add(const Vec3d& x) {
  ++number_;
  for (int axis = 0; axis < 3; ++axis) {
    low_[axis] = std::min(low_[axis], x[axis]);
    high_[axis] = std::max(high_[axis], x[axis]);
    const double place = x[axis] / side_;
    if (!std::isfinite(place)) continue;  // far outside: the extent says so
    const auto slab = static_cast<std::size_t>((place - std::floor(place)) * slabs);
    seen_[static_cast<std::size_t>(axis)][std::min(slab, slabs - 1)] = 1;
  }
}

std::string BoxFilling::judge(const std::string& path, bool full_mass, const Communicator& comm) const {
  constexpr double tiny = 0.01, wide_gap = 0.15, wide_span = 1.25;
  constexpr std::uint64_t few = 1000;  // particles, which leave gaps by chance
  double least = low_[0], most = high_[0], gap = 1, span = 1e300;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = comm.min(low_[axis]), high = comm.max(high_[axis]);
    std::vector<std::uint64_t> seen = seen_[static_cast<std::size_t>(axis)];
    comm.sum(std::span(seen));
    least = axis == 0 ? low : std::min(least, low);
    most = axis == 0 ? high : std::max(most, high);
    gap = std::min(gap, longest_gap(seen));
    span = std::min(span, (high - low) / side_);
  }
  const std::uint64_t number = comm.sum(number_);
  if (number == 0) return "";
  const std::string head = fmt::format("{}: its coordinates reach from {:.6g} to {:.6g}, its box from 0 to {:.6g}",
                                       path, least, most, side_);
  if (least < -side_ || most > 2 * side_) {
    throw SharedError(head +
                      ", and a particle farther than one box from it was never inside: coordinates and BoxSize "
                      "are in different units");
  }
  if (number > 1 && 1 - gap < tiny) {
    const std::string what = head + fmt::format(", so that all lie in {:.2g} of it along every axis", 1 - gap);
    if (!full_mass)
      return what + ": correct for an isolated system, else coordinates and BoxSize differ in their units";
    throw SharedError(what +
                      ", and yet have the mass of the whole box: coordinates and BoxSize are in different units");
  }
  if (number < few) return "";
  if (gap > wide_gap) {
    return head + fmt::format(
                      ", and {:.2g} of it is empty along every axis: if particles should fill it, coordinates "
                      "and BoxSize differ in their units (such as Mpc and Mpc/h)",
                      gap);
  }
  if (span > wide_span) {
    return head + fmt::format(
                      ", {:.3g} boxes along every axis: unless particles have crossed its faces, coordinates "
                      "and BoxSize differ in their units (such as Mpc and Mpc/h)",
                      span);
  }
  return "";
}

}  // namespace multiwalk
