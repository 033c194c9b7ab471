// SPDX-License-Identifier: GPL-3.0-or-later
// One device reads the arrays of a feed where they are: in its own memory or in page-locked memory of the host.
#pragma once

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/particles/convert_numbers.cuh"
#include "device/particles/store_copy.cuh"
#include "host/force/particle_feed.hpp"

namespace multiwalk {

class RawReader {
 public:
  explicit RawReader(DeviceMemory& memory) : memory_(memory), part_(memory), wrong_(memory), stage_(memory) {}

  /// Whether it can read all arrays of this feed.
  [[nodiscard]] bool reads(const ParticleFeed& feed) const;
  /// Whether it can write results to the arrays of this feed, which then lie in its own or in page-locked memory.
  [[nodiscard]] bool writes(const ParticleFeed& feed, const Stream& stream);
  /// See ForceBackend.
  void copy_rows(void* to, const void* from, std::size_t bytes, std::size_t stride, std::size_t rows);
  /// Converts the positions, in stream order; the result lacks the box. Waits for the stream.
  FoundNumbers positions(const RawArrays& raw, StoreCopy& to, const Stream& stream);
  /// Converts the masses; records masses_there and all_there, and waits for the stream.
  FoundNumbers masses(const RawArrays& raw, StoreCopy& to, const Stream& stream);
  /// Enqueues the conversion of old accelerations, zeros if there are none, and records all_there.
  void begin_accelerations(const RawArrays& raw, StoreCopy& to, std::size_t n, const Stream& stream);
  /// Waits for the stream.
  FoundNumbers end_accelerations(const Stream& stream);
  /// Writes the results to the caller's arrays; returns whether all are finite.
  bool results(const RawArrays& raw, const Vec3f* acceleration, const float* potential, const Stream& stream);

 private:
  ConvertedPart* parts(const Stream& stream);
  FoundNumbers found(const Stream& stream);

  DeviceMemory& memory_;
  Stream rows_;
  DeviceBuffer<ConvertedPart> part_;
  DeviceBuffer<int> wrong_;
  DeviceBuffer<std::byte> stage_;  ///< results on their way to page-locked memory, or rows
  PinnedBuffer<ConvertedPart> found_;
};

}  // namespace multiwalk
