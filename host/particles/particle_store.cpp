// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/particles/particle_store.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "host/base/error.hpp"
#include "host/base/separation.hpp"

namespace multiwalk {

namespace {

template <class T>
void gather(ParticleArray<T>& values, std::span<const std::uint32_t> order, ParticleArray<T>& spare) {
  if (values.empty()) return;
  spare.resize(values.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < order.size(); ++i) spare[i] = values[order[i]];
  values.swap(spare);
}

constexpr std::size_t narrow = 8;  // bytes

/// Moves parts of this many bytes of each element through `spare`; the array stays where it is.
template <std::size_t part, class T>
void gather_parts(ParticleArray<T>& values, std::span<const std::uint32_t> order, std::byte* spare) {
  static_assert(sizeof(T) % part == 0);
  using Part = std::array<std::byte, part>;
  auto* const moved = reinterpret_cast<Part*>(spare);
  auto* bytes = reinterpret_cast<std::byte*>(values.data());
  for (std::size_t offset = 0; offset < sizeof(T); offset += part) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < values.size(); ++i) {
        std::memcpy(&moved[i], bytes + order[i] * sizeof(T) + offset, part);
      }
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(bytes + i * sizeof(T) + offset, &moved[i], part);
    }
  }
}

template <class T>
void gather_in_place(ParticleArray<T>& values, std::span<const std::uint32_t> order, std::span<std::byte> spare) {
  if (values.size() * sizeof(T) <= spare.size()) {
    gather_parts<sizeof(T)>(values, order, spare.data());
  } else {
    gather_parts<sizeof(T) % narrow == 0 ? narrow : std::min<std::size_t>(sizeof(T), 4)>(values, order, spare.data());
  }
}

constexpr std::size_t few = std::size_t{1} << 18;  // elements; one thread writes fewer as fast as all threads

/// Moves to memory for `room` elements if there is not enough; new elements are zero.
template <class T>
void resize_array(ParticleArray<T>& values, std::size_t n, std::size_t room) {
  const std::size_t kept = std::min(n, values.size());
  if (n <= values.capacity()) {
    values.resize(n);
  } else {
    ParticleArray<T> larger;
    larger.reserve(room);
    larger.resize(n);
#pragma omp parallel for schedule(static) if (kept > few)
    for (std::size_t i = 0; i < kept; ++i) larger[i] = values[i];
    values.swap(larger);
  }
#pragma omp parallel for schedule(static) if (n > kept + few)
  for (std::size_t i = kept; i < n; ++i) values[i] = T{};
}

/// Number of removed elements below i.
std::size_t removed_below(std::span<const std::uint32_t> removed, std::size_t i) {
  return static_cast<std::size_t>(std::lower_bound(removed.begin(), removed.end(), i) - removed.begin());
}

/// Copies what remains of values[first, last) to `to`, run by run.
template <class T>
void copy_remaining(const T* values, std::size_t first, std::size_t last, std::span<const std::uint32_t> removed,
                    T* to) {
  for (std::size_t r = removed_below(removed, first); first < last; ++r) {
    const std::size_t end = r < removed.size() ? std::min<std::size_t>(removed[r], last) : last;
    to = std::copy(values + first, values + end, to);
    first = end + 1;
  }
}

constexpr std::size_t window = std::size_t{1} << 18;  // elements; they stay in the cache
constexpr std::size_t piece = std::size_t{1} << 13;

/// Windows move down one after the other through `scratch`; threads share the pieces of a window.
template <class T>
void compact(ParticleArray<T>& values, std::span<const std::uint32_t> removed, AlignedBuffer<std::byte>& scratch) {
  const std::size_t n = values.size();
  T* moved = reinterpret_cast<T*>(scratch.reserve(window * sizeof(T)));
#pragma omp parallel if (n > piece)
  for (std::size_t begin = removed.front(); begin < n; begin += window) {
    const std::size_t end = std::min(begin + window, n);
    const std::size_t target = begin - removed_below(removed, begin);
    const std::size_t remaining = end - removed_below(removed, end) - target;
#pragma omp for schedule(static)
    for (std::size_t first = begin; first < end; first += piece)
      copy_remaining(values.data(), first, std::min(first + piece, end), removed,
                     moved + (first - removed_below(removed, first) - target));
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < remaining; ++i) values[target + i] = moved[i];
  }
  values.resize(n - removed.size());
}

}  // namespace

void ParticleStore::resize(std::size_t n) {
  for_each_array([&](const char*, auto& values) { resize_array(values, n, n); });
}

void ParticleStore::set_rungs(bool wanted) {
  if (wanted == has_rungs_) return;
  has_rungs_ = wanted;
  long_range = {};
  rung = {};
  if (!wanted) return;
  resize_array(long_range, size(), size());
  resize_array(rung, size(), size());
}

void ParticleStore::resize_tightly(std::size_t n) {
  for_each_array([&](const char*, auto& values) { resize_array(values, n, n + n / 32); });
}

void ParticleStore::reallocate() {
  for_each_array([]<class T>(const char*, ParticleArray<T>& values) {
    ParticleArray<T> moved(values.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < values.size(); ++i) moved[i] = values[i];
    values.swap(moved);
  });
}

std::size_t ParticleStore::reorder_bytes(std::size_t n, std::size_t most) {
  return std::max(narrow * n, std::min(sizeof(Vec3d) * n, most));
}

void ParticleStore::reorder(std::span<const std::uint32_t> order, ReorderScratch& scratch) {
  require(order.size() == size(), "reorder: permutation of another length");
  for_each_array([&]<class T>(const char*, ParticleArray<T>& values) {
    gather(values, order, std::get<ParticleArray<T>>(scratch));
  });
}

void ParticleStore::reorder(std::span<const std::uint32_t> order, std::size_t most_spare) {
  require(order.size() == size(), "reorder: permutation of another length");
  const std::size_t bytes = reorder_bytes(size(), most_spare);
  const auto spare = std::make_unique_for_overwrite<std::byte[]>(bytes);
  for_each_array([&](const char*, auto& values) { gather_in_place(values, order, {spare.get(), bytes}); });
}

void ParticleStore::remove(std::span<const std::uint32_t> indices) {
  if (indices.empty()) return;
  require(indices.back() < size(), "remove: no such element");
  AlignedBuffer<std::byte> scratch;
  for_each_array([&](const char*, auto& values) { compact(values, indices, scratch); });
}

void wrap(ParticleStore& particles, double side) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < particles.size(); ++i) {
    particles.position[i] = wrapped(particles.position[i], side);
  }
}

Box bounding_box(std::span<const Vec3d> position) {
  Box box;
#pragma omp parallel
  {
    Box mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < position.size(); ++i) mine.include(position[i]);
#pragma omp critical
    box.include(mine);
  }
  return box;
}

}  // namespace multiwalk
