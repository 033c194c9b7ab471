// SPDX-License-Identifier: GPL-3.0-or-later
// A sort by keys that are computed while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "host/tree/octree.hpp"

namespace multiwalk {

/// Writes the keys of the items `first`, `first` + 1, ...; several threads call it at once.
using WriteKeys = std::function<void(std::uint32_t first, std::span<std::uint64_t> keys)>;

/// Leaves the entries (key, item) of all items below n in scratch.entries, sorted as by sort_entries. Every key is
/// written twice, so that entries need no memory in their first order.
void sort_items(std::uint32_t n, const WriteKeys& write_keys, SortScratch& scratch);

}  // namespace multiwalk
