// The hash of rank `sample` is found digit by digit from counts over all ranks.
#include "analysis/sampling.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "host/base/hash.hpp"

namespace multiwalk {

namespace {

constexpr int digit_bits = 8;
constexpr std::size_t digits = std::size_t{1} << digit_bits;

struct Threshold {
  std::uint64_t hash = 0;
  std::uint64_t below = 0;  ///< particles of all ranks with a lower hash
};

/// The `place`-th lowest hash of all ranks, from 0.
template <class HashOf>
Threshold find_threshold(const Communicator& comm, std::size_t particles, HashOf hash_of, std::uint64_t place) {
  Threshold threshold;
  std::uint64_t settled = 0;  // mask of the digits found so far
  for (int shift = 64 - digit_bits; shift >= 0; shift -= digit_bits) {
    std::array<std::uint64_t, digits> count{};
    std::uint64_t* const counts = count.data();
#pragma omp parallel for schedule(static) reduction(+ : counts[:digits])
    for (std::size_t i = 0; i < particles; ++i) {
      const std::uint64_t hash = hash_of(i);
      if ((hash & settled) == threshold.hash) ++counts[(hash >> shift) % digits];
    }
    comm.sum(std::span<std::uint64_t>(count));
    std::size_t digit = 0;
    while (digit + 1 < digits && threshold.below + count[digit] <= place) threshold.below += count[digit++];
    threshold.hash |= std::uint64_t{digit} << shift;
    settled |= std::uint64_t{digits - 1} << shift;
  }
  return threshold;
}

}  // namespace

std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, std::uint64_t sample, std::uint64_t seed,
                                        const Communicator& comm) {
  std::vector<std::uint32_t> chosen;
  if (sample == 0 || sample >= comm.sum(static_cast<std::uint64_t>(id.size()))) {
    chosen.resize(id.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
    return chosen;
  }
  const std::uint64_t salt = mix_bits(seed);
  const auto hash_of = [&](std::size_t i) { return mix_bits(id[i] ^ salt); };
  const Threshold threshold = find_threshold(comm, id.size(), hash_of, sample - 1);
  // Ids should be unique; of equal ones at the threshold the first are taken.
  std::vector<std::uint32_t> equal;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const std::uint64_t hash = hash_of(i);
    if (hash < threshold.hash) chosen.push_back(static_cast<std::uint32_t>(i));
    if (hash == threshold.hash) equal.push_back(static_cast<std::uint32_t>(i));
  }
  const std::uint64_t wanted = sample - threshold.below, before = comm.sum_before(equal.size());
  const std::uint64_t taken = wanted > before ? std::min<std::uint64_t>(wanted - before, equal.size()) : 0;
  chosen.insert(chosen.end(), equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(taken));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace multiwalk
