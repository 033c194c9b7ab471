// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the walks of all groups, as many at a time as memory allows.
#pragma once

#include <cstdint>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/lists/list_kernel.cuh"
#include "host/walk/raw_count.hpp"

namespace multiwalk {

/// Some walks with their lists, in device memory.
struct ListChunk {
  const Walk* walk = nullptr;  ///< (walks) those without targets are made later
  const std::uint32_t* cell = nullptr;
  const ParticleRange* range = nullptr;
  float4* result = nullptr;  ///< room for the walks' results
  std::uint32_t walks = 0;
};

/// Per evaluation: reserve, begin; then make_next and finish_chunk until all are done; release. A few walks have lists
/// many times as long as the others': they are left to further rounds, in which fewer warps have more memory each. What
/// the first round shows about the lengths of lists is kept for the next evaluation.
class ListMaker {
 public:
  explicit ListMaker(DeviceMemory& memory);

  /// Takes a share of what the device has left. False: that is too little.
  [[nodiscard]] bool reserve(const Stream& stream);
  void release(const Stream& stream);

  /// There are `groups` groups of `particles` particles in all.
  void begin(const ListTask& task, std::uint32_t groups, std::size_t particles, const Stream& stream);
  [[nodiscard]] bool done() const { return round_done() && long_count_ == 0; }
  /// Enqueues the making of the next walks; what is enqueued behind it may read them.
  ListChunk make_next(const Stream& stream);
  /// Waits until they are made.
  void finish_chunk(const Stream& stream);

  /// Counts of all walks made since begin.
  [[nodiscard]] const RawCount& count() const { return count_; }
  /// The time that making them took.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  /// Average lengths per walk, as far as known.
  struct Lengths {
    double cells = 1500, ranges = 150, targets = 128;
  };
  struct Asked {
    unsigned long long cells = 0, ranges = 0, results = 0;
    std::uint32_t walks = 0;
  };
  struct Round {
    std::uint32_t entries;  ///< of each list of a warp
    Lengths lengths;
    Asked asked;  ///< by walks whose lists were complete
  };
  /// The arrays of one launch, in the arena.
  struct Plan {
    std::uint32_t walks = 0, cells = 0, ranges = 0, results = 0;
    [[nodiscard]] std::size_t bytes() const;
  };

  [[nodiscard]] bool round_done() const { return next_ == groups_ && again_count_ == 0; }
  /// The walks that were too long are next.
  void begin_long_round(const Stream& stream);
  [[nodiscard]] Plan plan_of(std::uint32_t walks) const;
  /// The next launch's, for which there is room.
  Plan plan_next(const Stream& stream);
  /// As many as run at a time; fewer if there are fewer groups.
  [[nodiscard]] unsigned useful_warps() const;
  [[nodiscard]] unsigned warps_for(std::uint32_t entries) const;
  void make_warps(const Stream& stream);
  void learn(const ListTotals& totals);

  DeviceMemory* memory_;
  DeviceBuffer<std::uint32_t> warp_memory_, again_[2], long_;
  DeviceBuffer<std::byte> arena_;
  DeviceBuffer<ListTotals> totals_;
  PinnedBuffer<ListTotals> made_;
  Event begun_, ended_;
  ListTask task_;
  Round usual_, round_;  ///< as the next evaluation begins; the present one
  bool first_round_ = true;
  RawCount count_;
  double seconds_ = 0;
  std::size_t budget_ = 0;  ///< bytes
  unsigned warps_ = 0;
  unsigned multiprocessors_ = 0;
  std::uint32_t groups_ = 0, next_ = 0;        ///< to be walked; begun
  std::uint32_t again_count_ = 0, chunk_ = 0;  ///< groups to be walked again; walks of this launch
  std::uint32_t long_count_ = 0;               ///< groups left to the next round
  unsigned turn_ = 0;                          ///< again_[turn_] lists them
  bool stuck_ = false;                         ///< the last launch made no walk
};

}  // namespace multiwalk
