// SPDX-License-Identifier: GPL-3.0-or-later
// Sorts particles into key order.
#pragma once

#include <cstdint>

#include "device/tree/scratch.cuh"
#include "host/base/box.hpp"

namespace multiwalk {

/// Lower and upper corner of some particles.
struct Bounds {
  Vec3d lo, hi;
};

/// Partial results of find_bounds.
inline constexpr unsigned bounds_parts = 512;

/// Enqueues: bounds[0] becomes the tight bounds of n > 0 positions; `bounds` has bounds_parts + 1 elements.
void find_bounds(const Vec3d* position, std::size_t n, Bounds* bounds, const Stream& stream);

/// Enqueues: Morton keys and indices 0...n-1.
void make_keys(const Vec3d* position, std::size_t n, const Cube& cube, std::uint64_t* key, std::uint32_t* index,
               const Stream& stream);

/// Two arrays that a sort passes its data between; the result is in the first.
template <class T>
struct SortPair {
  DeviceBuffer<T> result, other;
  explicit SortPair(DeviceMemory& memory) : result(memory), other(memory) {}
};

/// Enqueues a stable sort of n keys, each with its index. False: the device is full.
[[nodiscard]] bool sort_keys(SortPair<std::uint64_t>& key, SortPair<std::uint32_t>& index, std::size_t n,
                             Scratch& scratch, const Stream& stream);

/// Enqueues: among equal keys, the order is that of the particles' indices in the store, whatever it was before.
void order_ties(const std::uint64_t* key, std::size_t n, const std::uint32_t* index, std::uint32_t* order,
                const Stream& stream);

/// Enqueues: sorted element i is element order[i].
void gather(const std::uint32_t* order, std::size_t n, const Vec3d* values, Vec3d* sorted, const Stream& stream);
void gather(const std::uint32_t* order, std::size_t n, const Vec3f* values, Vec3f* sorted, const Stream& stream);
void gather(const std::uint32_t* order, std::size_t n, const float* values, float* sorted, const Stream& stream);
void gather(const std::uint32_t* order, std::size_t n, const std::uint32_t* values, std::uint32_t* sorted,
            const Stream& stream);
void gather(const std::uint32_t* order, std::size_t n, const std::uint8_t* values, std::uint8_t* sorted,
            const Stream& stream);

}  // namespace multiwalk
