// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that may cross the light of an observer during a drift.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"
#include "host/sky/passage.hpp"

namespace multiwalk {

/// n particles, best in key order, and some of the copies of a passage; arrays in device memory.
struct PassingSearch {
  const Vec3d* position;
  const Vec3f* velocity;
  const std::uint32_t* index;  ///< places in the store
  std::size_t n;
  LightSweep light;
  const PassageCopy* copy;
  unsigned copies;
};

/// For a place of the store whose particle is not chosen.
inline constexpr std::uint32_t not_passing = UINT32_MAX;

/// Enqueues: place[index[i]] = i for particles that may pass, and *count rises by the number of those for which it was
/// not so before.
void mark_passing(const PassingSearch& search, std::uint32_t* place, std::uint32_t* count, const Stream& stream);

/// n places of the store, and room for as many of their elements that are not not_passing, and for the number of these.
struct PassingSelection {
  const std::uint32_t* place;
  std::size_t n;
  std::uint32_t *chosen, *count;
};

/// Enqueues the selection, which keeps the order. `memory`: `bytes` of working memory; null: only sets `bytes`.
cudaError_t select_passing(void* memory, std::size_t& bytes, const PassingSelection& selection, const Stream& stream);

}  // namespace multiwalk
