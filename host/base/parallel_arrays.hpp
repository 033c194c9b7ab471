// SPDX-License-Identifier: GPL-3.0-or-later
// Passes over large arrays that all threads share, with the same result for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

namespace multiwalk {

/// Sets all elements.
template <class T>
void fill_parallel(std::span<T> values, T value) {
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = value;
}

/// Lowers `least` to `value` if that is lower; several threads may call it at once.
template <class T>
void lower_atomically(T& least, T value) {
  const std::atomic_ref<T> shared(least);
  T found = shared.load(std::memory_order_relaxed);
  while (value < found && !shared.compare_exchange_weak(found, value, std::memory_order_relaxed)) {
  }
}

/// Elements of an array that one thread takes at a time.
inline constexpr std::size_t array_stretch = std::size_t{1} << 16;

/// Calls begin(count) with the number of all i < n for which wanted(i), and then put(place, i) once for each of them,
/// `place` being its number among them in ascending order of i. Threads call wanted and put at once.
template <class Wanted, class Begin, class Put>
void select_in_order(std::size_t n, Wanted wanted, Begin begin, Put put) {
  const std::size_t stretches = (n + array_stretch - 1) / array_stretch;
  const auto end_of = [n](std::size_t s) { return std::min(n, (s + 1) * array_stretch); };
  std::vector<std::size_t> before(stretches + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < stretches; ++s) {
    for (std::size_t i = s * array_stretch; i < end_of(s); ++i) before[s + 1] += wanted(i) ? 1 : 0;
  }
  for (std::size_t s = 0; s < stretches; ++s) before[s + 1] += before[s];
  begin(before.back());
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < stretches; ++s) {
    std::size_t place = before[s];
    for (std::size_t i = s * array_stretch; i < end_of(s); ++i)
      if (wanted(i)) put(place++, i);
  }
}

/// Replaces every element by the sum of itself and all before it.
template <class T>
void running_sum(std::span<T> values) {
  const std::size_t n = values.size(), stretches = (n + array_stretch - 1) / array_stretch;
  const auto end_of = [n](std::size_t s) { return std::min(n, (s + 1) * array_stretch); };
  std::vector<T> before(stretches + 1, T{});
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < stretches; ++s) {
    for (std::size_t i = s * array_stretch; i < end_of(s); ++i) before[s + 1] += values[i];
  }
  for (std::size_t s = 0; s < stretches; ++s) before[s + 1] += before[s];
#pragma omp parallel for schedule(static)
  for (std::size_t s = 0; s < stretches; ++s) {
    T sum = before[s];
    for (std::size_t i = s * array_stretch; i < end_of(s); ++i) values[i] = sum += values[i];
  }
}

}  // namespace multiwalk
