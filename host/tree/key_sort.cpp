// SPDX-License-Identifier: GPL-3.0-or-later
// Sample sort of (key, index) pairs: one pass into buckets of similar size, then each bucket within a cache, by the
// digits of its keys. Equal keys are ordered by index, so the result is that of a stable sort for any number of
// threads.
#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "host/base/error.hpp"
#include "host/threads/worth_threads.hpp"
#include "host/tree/item_sort.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

using Entry = SortScratch::Entry;

constexpr std::size_t bucket_size = 2048;  // wanted
constexpr std::size_t most_buckets = 8192;
constexpr std::size_t samples_per_bucket = 32;

bool before(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

constexpr int digit_bits = 8, most_digits = 8;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
// Entries of a bucket that are sorted faster by their digits than by comparisons, with little spare memory.
constexpr std::size_t fewest_by_digits = 256, most_by_digits = std::size_t{1} << 20;

/// The lowest bits of groups of bits that together hold all bits of `varying`; returns their number.
int choose_digits(std::uint64_t varying, std::span<int> shift) {
  int digits = 0;
  for (int at = 0; at < 64 && varying >> at != 0; at += digit_bits) {
    at += std::countr_zero(varying >> at);
    shift[static_cast<std::size_t>(digits++)] = at;
  }
  return digits;
}

/// Sorts by key, digit by digit from the lowest; equal keys keep their order.
void sort_by_digits(std::span<Entry> entries, LargeArray<Entry>& spare) {
  std::uint64_t varying = 0;
  for (const Entry& entry : entries) varying |= entry.key ^ entries.front().key;
  std::array<int, most_digits> shift{};
  const auto digits = static_cast<std::size_t>(choose_digits(varying, shift));
  std::array<std::array<std::uint32_t, digit_values>, most_digits> place{};
  for (const Entry& entry : entries)
    for (std::size_t d = 0; d < digits; ++d) ++place[d][entry.key >> shift[d] & (digit_values - 1)];
  if (spare.size() < entries.size()) spare.resize(entries.size());
  std::span<Entry> from = entries, to = std::span(spare).first(entries.size());
  for (std::size_t d = 0; d < digits; ++d) {
    std::exclusive_scan(place[d].begin(), place[d].end(), place[d].begin(), std::uint32_t{0});
    for (const Entry& entry : from) to[place[d][entry.key >> shift[d] & (digit_values - 1)]++] = entry;
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::ranges::copy(from, entries.begin());
}

/// As before() orders them. `spare`: working memory.
void sort_bucket(std::span<Entry> entries, LargeArray<Entry>& spare) {
  if (std::ranges::is_sorted(entries, before)) return;
  if (entries.size() >= fewest_by_digits && entries.size() <= most_by_digits) {
    sort_by_digits(entries, spare);
    if (std::ranges::is_sorted(entries, before)) return;  // unless equal keys came with falling indices
  }
  std::ranges::sort(entries, before);
}

/// (buckets - 1) keys that divide n items evenly, judged by a regular sample; key_of(item).
template <class KeyOf>
std::vector<std::uint64_t> choose_splitters(std::size_t n, std::size_t buckets, KeyOf key_of) {
  std::vector<std::uint64_t> sample(buckets * samples_per_bucket);
#pragma omp parallel for schedule(static) if (sample.size() > worth_threads)
  for (std::size_t s = 0; s < sample.size(); ++s) sample[s] = key_of(n * s / sample.size());
  std::sort(sample.begin(), sample.end());
  std::vector<std::uint64_t> splitters;
  for (std::size_t b = 1; b < buckets; ++b) splitters.push_back(sample[b * samples_per_bucket]);
  return splitters;
}

/// How many splitters are <= key; their number is 2^n - 1.
std::uint16_t bucket_of(std::span<const std::uint64_t> splitters, std::uint64_t key) {
  std::size_t below = 0;
  for (std::size_t step = (splitters.size() + 1) / 2; step > 0; step /= 2) {
    below += splitters[below + step - 1] <= key ? step : 0;
  }
  return static_cast<std::uint16_t>(below);
}

/// The start of each thread's part of each bucket, from counts[thread][bucket]; returns the start of each bucket.
std::vector<std::size_t> offsets_from_counts(std::span<std::vector<std::size_t>> counts, std::size_t buckets) {
  std::vector<std::size_t> first(buckets + 1, 0);
  std::size_t next = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    first[b] = next;
    for (std::vector<std::size_t>& mine : counts) {
      const std::size_t count = mine[b];
      mine[b] = next;
      next += count;
    }
  }
  first[buckets] = next;
  return first;
}

/// Moves n entries into buckets in `other`, keeping their order; returns the start of each bucket.
/// for_each(begin, end, act) calls act(i, entry) for the entries i of a range in their order, twice for each.
template <class ForEach>
std::vector<std::size_t> fill_buckets(std::size_t n, std::span<const std::uint64_t> splitters, ForEach for_each,
                                      SortScratch& scratch) {
  const std::size_t buckets = splitters.size() + 1;
  scratch.bucket.resize(n);
  scratch.other.resize(n);
  std::vector<std::vector<std::size_t>> counts(static_cast<std::size_t>(omp_get_max_threads()));
  std::vector<std::size_t> first;
#pragma omp parallel num_threads(static_cast <int>(counts.size()))
  {
    // OpenMP may give fewer threads than asked for.
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto t = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t begin = n * t / threads, end = n * (t + 1) / threads;
    std::vector<std::size_t>& mine = counts[t];
    mine.assign(buckets, 0);
    for_each(begin, end, [&](std::size_t i, const Entry& entry) {
      scratch.bucket[i] = bucket_of(splitters, entry.key);
      ++mine[scratch.bucket[i]];
    });
#pragma omp barrier
#pragma omp single
    first = offsets_from_counts(std::span(counts).first(threads), buckets);
    for_each(begin, end, [&](std::size_t i, const Entry& entry) { scratch.other[mine[scratch.bucket[i]]++] = entry; });
  }
  return first;
}

/// A power of two.
std::size_t buckets_for(std::size_t n) {
  return std::bit_ceil(std::clamp(n / bucket_size, std::size_t{1}, most_buckets));
}

/// `first`: (buckets + 1)
void sort_buckets(std::span<const std::size_t> first, std::span<Entry> entries) {
#pragma omp parallel
  {
    LargeArray<Entry> spare;
#pragma omp for schedule(dynamic, 8)
    for (std::size_t b = 0; b < first.size() - 1; ++b)
      sort_bucket(entries.subspan(first[b], first[b + 1] - first[b]), spare);
  }
}

}  // namespace

void sort_entries(SortScratch& scratch) {
  LargeArray<Entry>& entries = scratch.entries;
  const std::size_t n = entries.size(), buckets = buckets_for(n);
  if (buckets == 1) {
    sort_buckets(std::array<std::size_t, 2>{0, n}, entries);
    return;
  }
  const auto for_each = [&](std::size_t begin, std::size_t end, auto act) {
    for (std::size_t i = begin; i < end; ++i) act(i, entries[i]);
  };
  const auto splitters = choose_splitters(n, buckets, [&](std::size_t i) { return entries[i].key; });
  const std::vector<std::size_t> first = fill_buckets(n, splitters, for_each, scratch);
  entries.swap(scratch.other);
  sort_buckets(first, entries);
}

void sort_items(std::uint32_t n, const WriteKeys& write_keys, SortScratch& scratch) {
  constexpr std::size_t block = 1024;
  const auto for_each = [&](std::size_t begin, std::size_t end, auto act) {
    std::array<std::uint64_t, block> keys;
    for (std::size_t at = begin; at < end; at += block) {
      const std::size_t count = std::min(block, end - at);
      write_keys(static_cast<std::uint32_t>(at), std::span(keys).first(count));
      for (std::size_t k = 0; k < count; ++k) act(at + k, Entry{keys[k], static_cast<std::uint32_t>(at + k)});
    }
  };
  const auto key_of = [&](std::size_t i) {
    std::uint64_t key = 0;
    write_keys(static_cast<std::uint32_t>(i), {&key, 1});
    return key;
  };
  const std::vector<std::size_t> first =
      fill_buckets(n, choose_splitters(n, buckets_for(n), key_of), for_each, scratch);
  scratch.entries.swap(scratch.other);
  sort_buckets(first, scratch.entries);
}

namespace {

/// Writes the sorted keys of the positions into `key`, and their former places into scratch.order. Returns whether they
/// were already in order.
bool sort_keys(std::span<const Vec3d> position, const Cube& cube, SortScratch& scratch, std::span<std::uint64_t> key) {
  const std::size_t n = position.size();
  require(n < std::numeric_limits<std::uint32_t>::max(), "more than 2^32 particles in one process");
  const double cells_per_length = key_cells_per_length(cube);
  scratch.entries.resize(n);
  scratch.order.resize(n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    scratch.entries[i] = {morton_key(position[i], cube.corner, cells_per_length), static_cast<std::uint32_t>(i)};
  }
  sort_entries(scratch);
  bool in_order = true;
#pragma omp parallel for schedule(static) reduction(&& : in_order)
  for (std::size_t i = 0; i < n; ++i) {
    key[i] = scratch.entries[i].key;
    scratch.order[i] = scratch.entries[i].index;
    in_order = in_order && scratch.order[i] == i;
  }
  return in_order;
}

}  // namespace

void sort_by_key(ParticleStore& particles, const Cube& cube, SortScratch& scratch) {
  if (sort_keys(particles.position, cube, scratch, particles.key)) return;
  const SetAside keys(particles.key);
  particles.reorder(scratch.order, scratch.moved);
}

void sort_by_key(ParticleStore& particles, const Cube& cube) {
  LargeArray<std::uint32_t> order;
  {
    SortScratch scratch;
    if (sort_keys(particles.position, cube, scratch, particles.key)) return;
    order.swap(scratch.order);
  }
  const SetAside keys(particles.key);
  particles.reorder(order);
}

SortedParticles sort_copies(const ParticleStore& particles, const Cube& cube, SortScratch& scratch) {
  const std::size_t n = particles.size();
  auto& position = std::get<ParticleArray<Vec3d>>(scratch.moved);
  auto& mass = std::get<ParticleArray<float>>(scratch.moved);
  auto& key = std::get<ParticleArray<std::uint64_t>>(scratch.moved);
  position.resize(n);
  mass.resize(n);
  key.resize(n);
  sort_keys(particles.position, cube, scratch, key);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    position[i] = particles.position[scratch.order[i]];
    mass[i] = particles.mass[scratch.order[i]];
  }
  return {position, mass, key};
}

}  // namespace multiwalk
