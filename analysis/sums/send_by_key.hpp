// SPDX-License-Identifier: GPL-3.0-or-later
// Items that travel to the rank that their key's hash chooses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {

inline std::size_t rank_of_key(std::uint64_t key, int ranks) {
  return static_cast<std::size_t>(mix_bits(key) % static_cast<std::uint64_t>(ranks));
}

/// A stable order of items by the ranks of their keys.
struct KeyOrder {
  std::vector<std::uint64_t> count;  ///< (ranks)
  std::vector<std::uint64_t> place;  ///< (items)

  KeyOrder(std::span<const std::uint64_t> key, int ranks)
      : count(static_cast<std::size_t>(ranks), 0), place(key.size()) {
    for (const std::uint64_t k : key) ++count[rank_of_key(k, ranks)];
    std::vector<std::uint64_t> next(count.size(), 0);
    std::exclusive_scan(count.begin(), count.end(), next.begin(), std::uint64_t{0});
    for (std::size_t i = 0; i < key.size(); ++i) place[i] = next[rank_of_key(key[i], ranks)]++;
  }

  template <class T>
  [[nodiscard]] std::vector<T> sorted(std::span<const T> items) const {
    std::vector<T> result(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) result[place[i]] = items[i];
    return result;
  }
};

/// All ranks' items whose key(item) belongs to this rank, by sender and in its order. Collective.
template <class T, class Key>
Received<T> send_by_key(std::span<const T> items, Key key, const Communicator& comm) {
  std::vector<std::uint64_t> keys;
  for (const T& item : items) keys.push_back(key(item));
  const KeyOrder order(keys, comm.size());
  const std::vector<T> sorted = order.sorted(items);
  return comm.exchange(std::span<const T>(sorted), std::span<const std::uint64_t>(order.count));
}

}  // namespace multiwalk
