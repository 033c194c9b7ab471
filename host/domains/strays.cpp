// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/domains/strays.hpp"

#include <algorithm>

#include "host/base/error.hpp"

namespace multiwalk {

StoreChange plan_exchange(std::span<const std::uint32_t> left, std::size_t coming, std::size_t before) {
  StoreChange change;
  change.before = before;
  change.after = before - left.size() + coming;
  change.left.assign(left.begin(), left.end());
  const auto taken = left.first(std::min(left.size(), coming)), holes = left.subspan(taken.size());
  change.arrived.assign(taken.begin(), taken.end());
  for (std::size_t i = before; i < change.after; ++i) change.arrived.push_back(static_cast<std::uint32_t>(i));
  change.moved_from = fillers(holes, change.after, before);
  const auto filled = holes.first(change.moved_from.size());
  change.moved_to.assign(filled.begin(), filled.end());
  return change;
}

std::vector<std::uint32_t> fillers(std::span<const std::uint32_t> holes, std::size_t staying, std::size_t size) {
  auto gone = std::ranges::lower_bound(holes, staying);
  const auto below = static_cast<std::size_t>(gone - holes.begin());
  std::vector<std::uint32_t> result;
  for (std::size_t i = staying; i < size; ++i) {
    if (gone != holes.end() && *gone == i) {
      ++gone;
    } else {
      result.push_back(static_cast<std::uint32_t>(i));
    }
  }
  require(result.size() == below, "as many elements move up as there are holes");
  return result;
}

}  // namespace multiwalk
