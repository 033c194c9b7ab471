// SPDX-License-Identifier: GPL-3.0-or-later
// One batch in flight: lists in page-locked memory, a stream that copies them, evaluates them and brings results back.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "device/base/device_buffer.cuh"
#include "device/walk/walk_kernel.cuh"
#include "host/force/force_backend.hpp"

namespace multiwalk {

/// When a device evaluated something: seconds since the begin of the evaluation.
struct BusyInterval {
  double begin = 0, end = 0;
};

/// The seconds of one lane's batches.
struct LaneTimes {
  double transfer = 0, wait = 0;  ///< seconds
  std::vector<BusyInterval> busy;
};

class BatchSlot {
 public:
  /// Page-locked room for `entries` list entries. `memory` must outlive the slot.
  BatchSlot(DeviceMemory& memory, std::size_t entries);

  [[nodiscard]] WalkBatch& batch() { return batch_; }
  [[nodiscard]] bool in_flight() const { return in_flight_; }
  [[nodiscard]] std::size_t device_bytes() const { return arena_.capacity(); }

  /// Enqueues the batch behind `ready`, in pieces that take `most_bytes` of device memory; a walk that needs more gets
  /// more. `common` says what to read and how to evaluate; results stay on the device if `store` has arrays for them.
  /// Throws InputError if the device has not even that.
  void submit(const WalkLaunch& common, const StoreResults& store, const Event& ready, std::size_t most_bytes,
              std::size_t target_count);
  /// Waits for the results, writes those that came to the host to the targets and adds to the lane's times. Throws
  /// errors of the device.
  void retire(const TargetView& targets, const Event& epoch, LaneTimes& times);
  /// Waits and discards the results.
  void abandon() noexcept;
  /// Frees the device memory; nothing may be in flight.
  void release();

 private:
  /// Consecutive walks that are evaluated by one launch, and the parts of the batch's arrays they use.
  struct Piece {
    std::uint32_t walk_first = 0, walk_end = 0;
    std::uint32_t cell_first = 0, cell_end = 0;
    std::uint32_t range_first = 0, range_end = 0;
    std::uint32_t result_first = 0, result_end = 0;
    [[nodiscard]] std::size_t bytes() const;
  };
  struct PieceEvents {
    Event begin, sent, evaluated, received;
  };
  class Layout;

  void number_results(const WalkLaunch& common, std::size_t target_count);
  void write_results(const TargetView& targets) const;
  [[nodiscard]] Piece piece_from(std::uint32_t first, std::size_t most_bytes) const;
  void make_room(const Piece& piece, std::size_t most_bytes);
  void send(const Piece& piece, const WalkLaunch& common, const StoreResults& store, PieceEvents& events);

  DeviceMemory* memory_;
  Stream stream_;
  WalkBatch batch_;
  std::pmr::vector<float4> result_;  ///< (targets of all walks) those that come to the host
  DeviceBuffer<std::byte> arena_;
  std::vector<PieceEvents> events_;  ///< one for each piece, of the batch with the most
  std::size_t pieces_ = 0;
  bool in_flight_ = false;
  bool results_come_ = true;  ///< to the host
};

}  // namespace multiwalk
