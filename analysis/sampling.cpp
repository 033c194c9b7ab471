#include "analysis/sampling.hpp"

#include <algorithm>
#include <numeric>

namespace multiwalk {

namespace {

/// Finaliser of SplitMix64 (Steele, Lea & Flood 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::vector<std::uint32_t> sample_by_id(std::span<const std::uint64_t> id, std::uint64_t sample, std::uint64_t seed) {
  std::vector<std::uint32_t> chosen(id.size());
  std::iota(chosen.begin(), chosen.end(), 0U);
  if (sample == 0 || sample >= id.size()) return chosen;
  std::vector<std::uint64_t> hash(id.size());
  for (std::size_t i = 0; i < id.size(); ++i) hash[i] = mix(id[i] ^ mix(seed));
  const auto last = chosen.begin() + static_cast<std::ptrdiff_t>(sample);
  std::nth_element(chosen.begin(), last, chosen.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return hash[a] < hash[b]; });
  chosen.resize(sample);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace multiwalk
