// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/batch_slot.cuh"

#include <algorithm>
#include <string>

#include "device/base/pinned_memory.hpp"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t alignment = 256;
// Initial sizes of a batch; more is allocated as needed.
constexpr std::size_t expected_walks = 128, expected_list = 1024, expected_ranges = 64, expected_targets = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

template <class T>
void send_array(T* to, const T* from, std::size_t count, const Stream& stream) {
  if (count == 0) return;
  check_cuda(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
}

}  // namespace

/// Allocates consecutive arrays in the arena.
class BatchSlot::Layout {
 public:
  explicit Layout(std::byte* data) : data_(data) {}
  template <class T>
  T* array(std::size_t count) {
    T* start = reinterpret_cast<T*>(data_ + used_);
    used_ += aligned(count * sizeof(T));
    return start;
  }

 private:
  std::byte* data_;
  std::size_t used_ = 0;
};

std::size_t BatchSlot::Piece::bytes() const {
  return aligned((walk_end - walk_first) * sizeof(Walk)) + aligned((cell_end - cell_first) * sizeof(std::uint32_t)) +
         aligned((range_end - range_first) * sizeof(ParticleRange)) +
         aligned((result_end - result_first) * sizeof(float4));
}

BatchSlot::BatchSlot(DeviceMemory& memory, std::size_t entries)
    : memory_((memory.make_current(), &memory)), batch_(pinned_memory()), result_(pinned_memory()), arena_(memory) {
  batch_.walks.reserve(expected_walks);
  batch_.cells.reserve(std::min(entries, expected_walks * expected_list));
  batch_.ranges.reserve(std::min(entries, expected_walks * expected_ranges));
  result_.reserve(expected_walks * expected_targets);
}

void BatchSlot::number_results(const WalkLaunch& common, std::size_t target_count) {
  std::size_t results = 0;
  for (Walk& walk : batch_.walks) {
    require(std::size_t{walk.target_first} + walk.target_count <= target_count, "a walk's targets do not exist");
    require(std::size_t{walk.cell_first} + walk.cell_count + walk.expanded_count <= batch_.cells.size() &&
                std::size_t{walk.range_first} + walk.range_count <= batch_.ranges.size(),
            "a walk's lists are not in its batch");
    require(walk.far_count <= (common.has_far_cells() ? walk.cell_count : 0), "a walk has too many far cells");
    require(walk.expanded_count == 0 || common.expansion > 0, "a walk has cells to be expanded");
    walk.result_first = static_cast<std::uint32_t>(results);
    results += walk.target_count;
  }
  require(results <= UINT32_MAX, "a batch has more than 2^32 targets");
  result_.resize(results_come_ ? results : 0);
}

BatchSlot::Piece BatchSlot::piece_from(std::uint32_t first, std::size_t most_bytes) const {
  Piece piece;
  for (std::uint32_t w = first; w < batch_.walks.size(); ++w) {
    const Walk& walk = batch_.walks[w];
    Piece longer = piece;
    if (w == first) {
      longer = {w, w, walk.cell_first, 0, walk.range_first, 0, walk.result_first, 0};
    }
    longer.walk_end = w + 1;
    longer.cell_first = std::min(longer.cell_first, walk.cell_first);
    longer.cell_end = std::max(longer.cell_end, walk.cell_first + walk.cell_count + walk.expanded_count);
    longer.range_first = std::min(longer.range_first, walk.range_first);
    longer.range_end = std::max(longer.range_end, walk.range_first + walk.range_count);
    longer.result_end = walk.result_first + walk.target_count;
    if (w > first && longer.bytes() > most_bytes) break;
    piece = longer;
  }
  return piece;
}

void BatchSlot::make_room(const Piece& piece, std::size_t most_bytes) {
  const std::size_t bytes = piece.bytes();
  if (bytes <= arena_.capacity()) return;
  if (arena_.reserve(std::max(bytes, std::min(most_bytes, bytes + bytes / 4)), stream_) ||
      arena_.reserve(bytes, stream_))
    return;
  throw InputError(
      "CUDA device " + std::to_string(memory_->device()) + " has no " + std::to_string(bytes / 1000) +
      " kB left for the lists of " + std::to_string(piece.walk_end - piece.walk_first) +
      " walks: use fewer particles per device, a larger theta (--set force.theta=...), smaller groups (--set "
      "force.group_size=...), fewer threads (--set run.threads=...) or --set run.backend=cpu");
}

void BatchSlot::send(const Piece& piece, const WalkLaunch& common, const StoreResults& store, PieceEvents& events) {
  const std::size_t walks = piece.walk_end - piece.walk_first, cells = piece.cell_end - piece.cell_first,
                    ranges = piece.range_end - piece.range_first, results = piece.result_end - piece.result_first;
  Layout layout(arena_.data());
  auto* walk = layout.array<Walk>(walks);
  auto* cell = layout.array<std::uint32_t>(cells);
  auto* range = layout.array<ParticleRange>(ranges);
  auto* result = layout.array<float4>(results);

  events.begin.record(stream_);
  send_array(walk, batch_.walks.data() + piece.walk_first, walks, stream_);
  send_array(cell, batch_.cells.data() + piece.cell_first, cells, stream_);
  send_array(range, batch_.ranges.data() + piece.range_first, ranges, stream_);
  events.sent.record(stream_);

  WalkLaunch launch = common;
  launch.walk = walk;
  launch.cell = cell;
  launch.range = range;
  launch.result = result;
  launch.walk_count = static_cast<std::uint32_t>(walks);
  launch.cell_base = piece.cell_first;
  launch.range_base = piece.range_first;
  launch.result_base = piece.result_first;
  launch_walks(launch, stream_.get());
  if (!results_come_) store_results(launch, store, stream_.get());
  events.evaluated.record(stream_);
  if (results_come_) {
    check_cuda(cudaMemcpyAsync(result_.data() + piece.result_first, result, results * sizeof(float4),
                               cudaMemcpyDeviceToHost, stream_.get()),
               "cudaMemcpyAsync");
  }
  events.received.record(stream_);
}

void BatchSlot::submit(const WalkLaunch& common, const StoreResults& store, const Event& ready, std::size_t most_bytes,
                       std::size_t target_count) {
  memory_->make_current();
  results_come_ = store.acceleration == nullptr;
  number_results(common, target_count);
  stream_.wait(ready);
  pieces_ = 0;
  in_flight_ = true;
  try {
    for (std::uint32_t w = 0; w < batch_.walks.size();) {
      const Piece piece = piece_from(w, most_bytes);
      make_room(piece, most_bytes);
      if (events_.size() == pieces_) events_.emplace_back();
      send(piece, common, store, events_[pieces_++]);
      w = piece.walk_end;
    }
  } catch (...) {
    abandon();
    throw;
  }
}

void BatchSlot::retire(const TargetView& targets, const Event& epoch, LaneTimes& times) {
  in_flight_ = false;
  if (pieces_ == 0) return;
  const double start = wall_time();
  events_[pieces_ - 1].received.synchronize();
  times.wait += wall_time() - start;
  for (std::size_t p = 0; p < pieces_; ++p) {
    const PieceEvents& e = events_[p];
    times.transfer += e.sent.seconds_since(e.begin) + e.received.seconds_since(e.evaluated);
    times.busy.push_back({e.sent.seconds_since(epoch), e.evaluated.seconds_since(epoch)});
  }
  if (results_come_) write_results(targets);
}

void BatchSlot::write_results(const TargetView& targets) const {
  for (std::size_t w = 0; w < batch_.walks.size(); ++w) {
    const Walk& walk = batch_.walks[w];
    const float4* result = result_.data() + walk.result_first;
    for (std::uint32_t i = 0; i < walk.target_count; ++i) {
      const std::uint32_t place = walk.target_first + i;
      const std::uint32_t index = targets.order.empty() ? place : targets.order[place];
      if (!targets.rung.empty() && targets.rung[index] < targets.least_rung) continue;
      Vec3f& acceleration = targets.acceleration[index];
      float& potential = targets.potential[index];
      const Vec3f pull{result[i].x, result[i].y, result[i].z};
      acceleration = targets.accumulate ? acceleration + pull : pull;
      potential = targets.accumulate ? potential + result[i].w : result[i].w;
    }
  }
}

void BatchSlot::abandon() noexcept {
  if (in_flight_) cudaStreamSynchronize(stream_.get());
  in_flight_ = false;
}

void BatchSlot::release() {
  memory_->make_current();
  arena_ = DeviceBuffer<std::byte>(*memory_);
}

}  // namespace multiwalk
