// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that leave their rank's domain, and those that arrive. Elements: Vec3d, Vec3f, float, uint32, uint8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "host/base/box.hpp"

namespace multiwalk {

/// n particles, and the domain in which they should lie.
struct StraySearch {
  const Vec3d* position;
  std::size_t n;
  Box domain;
};

/// Enqueues: place[0 ... *count - 1] become the places of particles outside the domain, rising. `memory`: `bytes` of
/// working memory; null: only sets `bytes`.
cudaError_t select_strays(void* memory, std::size_t& bytes, const StraySearch& search, std::uint32_t* place,
                          std::uint32_t* count, const Stream& stream);

/// (n) places of strays and their indices in the store; the sorted ones are results.
struct StrayOrder {
  const std::uint32_t *index, *place;
  std::uint32_t *sorted_index, *sorted_place;
  std::size_t n;
};

/// Enqueues a sort by index. `memory` and `bytes` as above.
cudaError_t sort_strays(void* memory, std::size_t& bytes, const StrayOrder& order, const Stream& stream);

/// Enqueues: values[place[k]] = part[k] for n places, all different.
template <class T>
void scatter(const std::uint32_t* place, std::size_t n, const T* part, T* values, const Stream& stream);

/// Enqueues: values[to[k]] = values[from[k]] for n places; no place is listed twice.
template <class T>
void move_elements(const std::uint32_t* from, const std::uint32_t* to, std::size_t n, T* values, const Stream& stream);

/// Enqueues: every index >= first of n becomes next[index - first].
void renumber(std::uint32_t* index, std::size_t n, std::uint32_t first, const std::uint32_t* next,
              const Stream& stream);

}  // namespace multiwalk
