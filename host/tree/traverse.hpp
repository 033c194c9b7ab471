// SPDX-License-Identifier: GPL-3.0-or-later
// Depth-first traversal that knows no gravity: the caller decides what to open and what happens to the rest.
#pragma once

#include <array>
#include <cstdint>

#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

/// Visits nodes in key order, starting at `root`. If open(n) is true it descends into node n (a leaf: act_leaf(n));
/// otherwise it calls act_cell(n).
template <class Open, class ActCell, class ActLeaf>
void traverse(std::span<const Node> node, Open&& open, ActCell&& act_cell, ActLeaf&& act_leaf, std::uint32_t root = 0) {
  if (node.empty()) return;
  std::array<std::uint32_t, 7 * (key_levels + 1) + 1> stack{};
  std::size_t depth = 0;
  stack[depth++] = root;
  while (depth > 0) {
    const std::uint32_t n = stack[--depth];
    if (!open(n)) {
      act_cell(n);
    } else if (node[n].leaf()) {
      act_leaf(n);
    } else {
      for (std::uint32_t c = node[n].child_count; c-- > 0;) stack[depth++] = node[n].first_child + c;
    }
  }
}

}  // namespace multiwalk
