// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sums/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "decomposition/ranks/rank_select.hpp"
#include "host/base/hash.hpp"
#include "host/base/large_memory.hpp"
#include "host/base/parallel_arrays.hpp"

namespace multiwalk {

namespace {

/// A hash that slightly more than `wanted` of `all` evenly spread hashes are likely not to exceed.
std::uint64_t likely_limit(std::uint64_t wanted, std::uint64_t all) {
  constexpr double everything = 0x1p64;
  const auto number = static_cast<double>(wanted);
  const double limit = (number + 6 * std::sqrt(number) + 20) / static_cast<double>(all) * everything;
  return limit < everything ? static_cast<std::uint64_t>(limit) : std::numeric_limits<std::uint64_t>::max();
}

/// The indices, rising, for which hash_of is at most `limit`.
template <class HashOf>
LargeArray<std::uint32_t> up_to(std::uint64_t limit, std::size_t n, HashOf hash_of) {
  LargeArray<std::uint32_t> index;
  select_in_order(
      n, [&](std::size_t i) { return hash_of(i) <= limit; }, [&](std::size_t count) { index.resize(count); },
      [&](std::size_t place, std::size_t i) { index[place] = static_cast<std::uint32_t>(i); });
  return index;
}

}  // namespace

std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, const Sample& sample,
                                        const Communicator& comm) {
  std::vector<std::uint32_t> chosen;
  if (sample.size == 0) return chosen;
  const std::uint64_t all = comm.sum(static_cast<std::uint64_t>(id.size()));
  if (sample.size >= all) {
    chosen.resize(id.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
    return chosen;
  }
  const std::uint64_t salt = mix_bits(sample.seed);
  const auto hash_of = [&](std::size_t i) { return mix_bits(id[i] ^ salt); };
  LargeArray<std::uint32_t> candidate = up_to(likely_limit(sample.size, all), id.size(), hash_of);
  if (comm.sum(static_cast<std::uint64_t>(candidate.size())) < sample.size)
    candidate = up_to(std::numeric_limits<std::uint64_t>::max(), id.size(), hash_of);
  const Selected last = select_over_ranks(
      comm, candidate.size(), [&](std::size_t k) { return hash_of(candidate[k]); }, sample.size - 1);
  // Ids should be unique; if several are equal to the last one, the first of them are taken.
  std::vector<std::uint32_t> equal;
  for (const std::uint32_t i : candidate) {
    const std::uint64_t hash = hash_of(i);
    if (hash < last.key) chosen.push_back(i);
    if (hash == last.key) equal.push_back(i);
  }
  const std::uint64_t wanted = sample.size - last.below, before = comm.sum_before(equal.size());
  const std::uint64_t taken = wanted > before ? std::min<std::uint64_t>(wanted - before, equal.size()) : 0;
  chosen.insert(chosen.end(), equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(taken));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace multiwalk
