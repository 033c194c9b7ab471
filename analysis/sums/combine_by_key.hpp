// SPDX-License-Identifier: GPL-3.0-or-later
// Reductions over ranks of values that belong to keys, such as the pieces of a group on several ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <unordered_map>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {

/// (key.size()) For each of this rank's keys, which must differ on a rank, combine() of the values that all ranks have
/// for it. combine(T& a, const T& b) merges b into a and must give exactly the same in any order. A key's values meet
/// on a rank chosen by the key's hash. Collective.
template <class T, class Combine>
std::vector<T> combine_by_key(const Communicator& comm, std::span<const std::uint64_t> key, std::span<const T> value,
                              Combine combine) {
  if (comm.alone()) return {value.begin(), value.end()};
  const auto ranks = static_cast<std::uint64_t>(comm.size());
  std::vector<std::uint64_t> count(ranks, 0), next(ranks, 0), place(key.size());
  for (const std::uint64_t k : key) ++count[mix_bits(k) % ranks];
  std::exclusive_scan(count.begin(), count.end(), next.begin(), std::uint64_t{0});
  struct Item {
    std::uint64_t key;
    T value;
  };
  std::vector<Item> items(key.size());
  for (std::size_t i = 0; i < key.size(); ++i) {
    place[i] = next[mix_bits(key[i]) % ranks]++;
    items[place[i]] = {key[i], value[i]};
  }
  const Received<Item> met = comm.exchange(std::span<const Item>(items), std::span<const std::uint64_t>(count));
  std::unordered_map<std::uint64_t, T> combined;
  combined.reserve(met.data.size());
  for (const Item& item : met.data) {
    const auto [entry, fresh] = combined.try_emplace(item.key, item.value);
    if (!fresh) combine(entry->second, item.value);
  }
  std::vector<T> answers(met.data.size());
  for (std::size_t i = 0; i < answers.size(); ++i) answers[i] = combined.at(met.data[i].key);
  const std::vector<T> back =
      comm.exchange(std::span<const T>(answers), std::span<const std::uint64_t>(met.count)).data;
  std::vector<T> result(key.size());
  for (std::size_t i = 0; i < key.size(); ++i) result[i] = back[place[i]];
  return result;
}

}  // namespace multiwalk
