// SPDX-License-Identifier: GPL-3.0-or-later
// A sort over ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <parallel/algorithm>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/threads/worth_threads.hpp"

namespace multiwalk {

/// Sorts in place, on all threads. before(a, b) must be a strict total order.
template <class T, class Before>
void sort_parallel(std::vector<T>& items, Before before) {
  if (items.size() < worth_threads) {
    std::ranges::sort(items, before);
    return;
  }
  __gnu_parallel::sort(items.begin(), items.end(), before, __gnu_parallel::balanced_quicksort_tag());
}

/// All ranks' items, sorted on each rank by before(a, b), in one global order: the first on rank 0, the next on rank 1,
/// and so on. Each rank has a bucket with borders from a sample, so the ranks' shares are about equal. Collective.
template <class T, class Before>
std::vector<T> merge_over_ranks(std::vector<T> items, Before before, const Communicator& comm) {
  if (comm.alone()) return items;
  const std::size_t sampled = std::min<std::size_t>(64, items.size());
  std::vector<T> sample;
  for (std::size_t s = 0; s < sampled; ++s) sample.push_back(items[items.size() * s / sampled]);
  sample = comm.gather(std::span<const T>(sample));
  std::ranges::sort(sample, before);
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<T> splitter(ranks - 1);
  for (std::size_t r = 1; r < ranks && !sample.empty(); ++r) splitter[r - 1] = sample[sample.size() * r / ranks];
  comm.broadcast(std::span<T>(splitter));
  std::vector<std::uint64_t> count(ranks, 0);
  std::size_t rank = 0;
  for (const T& item : items) {
    while (rank + 1 < ranks && !before(item, splitter[rank])) ++rank;
    ++count[rank];
  }
  items = comm.exchange(std::span<const T>(items), std::span<const std::uint64_t>(count)).data;
  sort_parallel(items, before);
  return items;
}

/// As merge_over_ranks, for unsorted items.
template <class T, class Before>
std::vector<T> sort_over_ranks(std::vector<T> items, Before before, const Communicator& comm) {
  sort_parallel(items, before);
  return merge_over_ranks(std::move(items), before, comm);
}

}  // namespace multiwalk
