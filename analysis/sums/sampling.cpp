// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sums/sampling.hpp"

#include <algorithm>
#include <numeric>

#include "decomposition/ranks/rank_select.hpp"
#include "host/base/hash.hpp"

namespace multiwalk {

std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, const Sample& sample,
                                        const Communicator& comm) {
  std::vector<std::uint32_t> chosen;
  if (sample.size == 0) return chosen;
  if (sample.size >= comm.sum(static_cast<std::uint64_t>(id.size()))) {
    chosen.resize(id.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
    return chosen;
  }
  const std::uint64_t salt = mix_bits(sample.seed);
  const auto hash_of = [&](std::size_t i) { return mix_bits(id[i] ^ salt); };
  const Selected last = select_over_ranks(comm, id.size(), hash_of, sample.size - 1);
  // Ids should be unique; if several are equal to the last one, the first of them are taken.
  std::vector<std::uint32_t> equal;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const std::uint64_t hash = hash_of(i);
    if (hash < last.key) chosen.push_back(static_cast<std::uint32_t>(i));
    if (hash == last.key) equal.push_back(static_cast<std::uint32_t>(i));
  }
  const std::uint64_t wanted = sample.size - last.below, before = comm.sum_before(equal.size());
  const std::uint64_t taken = wanted > before ? std::min<std::uint64_t>(wanted - before, equal.size()) : 0;
  chosen.insert(chosen.end(), equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(taken));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace multiwalk
