// Parallel least-significant-digit radix sort of (key, index) pairs: stable, so results never depend on the thread
// count.
#include <omp.h>

#include <array>
#include <cstring>
#include <limits>
#include <span>

#include "host/base/error.hpp"
#include "host/tree/octree.hpp"
#include "host/tree/sfc_key.hpp"

namespace multiwalk {

namespace {

constexpr int digit_bits = 11;
constexpr int digits = 6;  // 66 >= 63 bits
constexpr std::size_t buckets = std::size_t{1} << digit_bits;

using Entry = SortScratch::Entry;

std::size_t digit_of(std::uint64_t key, int digit) {
  return (key >> (digit * digit_bits)) & (buckets - 1);
}

using Histogram = std::array<std::size_t, buckets>;

/// Turns counts[thread][bucket] into starting offsets; false if one bucket holds everything (nothing to do).
bool offsets_from_counts(std::span<Histogram> counts, std::size_t n) {
  std::size_t next = 0;
  bool several = true;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t before = next;
    for (Histogram& mine : counts) {
      const std::size_t count = mine[b];
      mine[b] = next;
      next += count;
    }
    if (next - before == n) several = false;
  }
  return several;
}

void radix_sort(std::vector<Entry>& entries, std::vector<Entry>& other) {
  const std::size_t n = entries.size();
  other.resize(n);
  std::vector<Histogram> counts(static_cast<std::size_t>(omp_get_max_threads()));
  for (int digit = 0; digit < digits; ++digit) {
    bool several = true;
#pragma omp parallel num_threads(static_cast <int>(counts.size()))
    {
      // OpenMP may give fewer threads than asked for.
      const auto threads = static_cast<std::size_t>(omp_get_num_threads());
      const auto t = static_cast<std::size_t>(omp_get_thread_num());
      const std::size_t begin = n * t / threads;
      const std::size_t end = n * (t + 1) / threads;
      Histogram& mine = counts[t];
      mine.fill(0);
      for (std::size_t i = begin; i < end; ++i) ++mine[digit_of(entries[i].key, digit)];
#pragma omp barrier
#pragma omp single
      several = offsets_from_counts(std::span(counts).first(threads), n);
      if (several) {
        for (std::size_t i = begin; i < end; ++i) other[mine[digit_of(entries[i].key, digit)]++] = entries[i];
      }
    }
    if (several) entries.swap(other);
  }
}

}  // namespace

void sort_by_key(ParticleStore& particles, const Cube& cube, SortScratch& scratch) {
  const std::size_t n = particles.size();
  require(n < std::numeric_limits<std::uint32_t>::max(), "more than 2^32 particles in one process");
  const double cells_per_length = static_cast<double>(std::uint64_t{1} << key_levels) / cube.side;
  scratch.entries.resize(n);
  scratch.order.resize(n);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) {
    particles.key[i] = morton_key(particles.position[i], cube.corner, cells_per_length);
    scratch.entries[i] = {particles.key[i], static_cast<std::uint32_t>(i)};
  }
  radix_sort(scratch.entries, scratch.other);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < n; ++i) scratch.order[i] = scratch.entries[i].index;
  particles.reorder(scratch.order, scratch.moved);
}

void sort_by_key(ParticleStore& particles, const Cube& cube) {
  SortScratch scratch;
  sort_by_key(particles, cube, scratch);
}

}  // namespace multiwalk
