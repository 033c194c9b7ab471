// SPDX-License-Identifier: GPL-3.0-or-later
// A stable counting sort of indices, with threads.
#pragma once

#include <omp.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "host/base/large_memory.hpp"

namespace multiwalk {

/// Items by bucket, rising within each; an item may be in several buckets.
struct Buckets {
  std::vector<std::uint64_t> first{0};  ///< (buckets + 1) place of a bucket's first in `item`
  LargeArray<std::uint32_t> item;

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t bucket) const {
    return std::span(item).subspan(first[bucket], first[bucket + 1] - first[bucket]);
  }
};

/// for_each_bucket(i, act) calls act(b) for every bucket b of item i, in any order; it is called twice.
template <class ForEachBucket>
Buckets sort_into_buckets(std::size_t items, std::size_t buckets, ForEachBucket for_each_bucket) {
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  const auto begin = [&](std::size_t t) { return items * t / threads; };
  std::vector<std::vector<std::uint64_t>> next(threads, std::vector<std::uint64_t>(buckets, 0));
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < threads; ++t) {
    for (std::size_t i = begin(t); i < begin(t + 1); ++i) for_each_bucket(i, [&](std::size_t b) { ++next[t][b]; });
  }
  Buckets sorted;
  std::uint64_t sum = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    for (std::size_t t = 0; t < threads; ++t) sum += std::exchange(next[t][b], sum);
    sorted.first.push_back(sum);
  }
  sorted.item.resize(sum);
#pragma omp parallel for schedule(static)
  for (std::size_t t = 0; t < threads; ++t) {
    for (std::size_t i = begin(t); i < begin(t + 1); ++i) {
      for_each_bucket(i, [&](std::size_t b) { sorted.item[next[t][b]++] = static_cast<std::uint32_t>(i); });
    }
  }
  return sorted;
}

}  // namespace multiwalk
