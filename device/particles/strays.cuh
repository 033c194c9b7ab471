// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that leave their rank's domain, and those that arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/base/stream.cuh"
#include "device/particles/packed_stray.hpp"
#include "host/base/box.hpp"
#include "host/domains/domain_cuts.hpp"

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

/// (n) keys and values to sort; the sorted ones are results.
struct StrayOrder {
  const std::uint32_t *key, *value;
  std::uint32_t *sorted_key, *sorted_value;
  std::size_t n;
  int bits = 32;  ///< of the keys
};

/// Enqueues a stable sort by key. `memory` and `bytes` as above.
cudaError_t sort_strays(void* memory, std::size_t& bytes, const StrayOrder& order, const Stream& stream);

/// Enqueues: owner[k] becomes the rank that owns position[place[k]], of n; the number of ranks if it is not finite.
/// The cuts lie in device memory.
void find_owners(const Vec3d* position, const std::uint32_t* place, std::size_t n, const DomainCuts& cuts,
                 std::uint32_t* owner, const Stream& stream);

/// Enqueues: first[r] becomes the number of owners < r, for r = 0 ... ranks + 1; `owner` (n) rises.
void find_first(const std::uint32_t* owner, std::size_t n, std::size_t ranks, std::uint32_t* first,
                const Stream& stream);

/// The arrays of kept particles; the last two are null without rungs.
struct StrayArrays {
  Vec3d* position;
  Vec3f *velocity, *acceleration;
  float* mass;
  Vec3f* long_range;
  std::uint8_t* rung;
};

/// Enqueues: packed[k] becomes the particle at place[k], of n.
void pack_strays(const StrayArrays& kept, const std::uint32_t* place, std::size_t n, PackedStray* packed,
                 const Stream& stream);

/// Where arrivals go: the first go to the places and indices of those that left, the others behind.
struct ArrivalPlaces {
  const std::uint32_t *place, *index;  ///< (left) both rising
  std::size_t left, before;            ///< particles that left, and all that were kept
};

/// Enqueues: packed[k], which lies on the device, becomes arrival first + k of all.
void unpack_strays(std::span<const PackedStray> packed, std::size_t first, const ArrivalPlaces& places,
                   const StrayArrays& kept, std::uint32_t* index, const Stream& stream);

/// Enqueues: values[to[k]] = values[from[k]] for n places; no place is listed twice. T: Vec3d, Vec3f, float, uint32,
/// uint8.
template <class T>
void move_elements(const std::uint32_t* from, const std::uint32_t* to, std::size_t n, T* values, const Stream& stream);

/// Enqueues: every index >= first of n becomes next[index - first].
void renumber(std::uint32_t* index, std::size_t n, std::uint32_t first, const std::uint32_t* next,
              const Stream& stream);

}  // namespace multiwalk
