// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/lists/list_maker.cuh"

#include <algorithm>
#include <string>
#include <utility>

#include "device/base/too_small.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_bytes = std::size_t{6} << 30, least_bytes = std::size_t{2} << 20;
/// Lists of a small device may take most of what is left, those of a large one an eighth.
constexpr std::size_t always_taken = std::size_t{768} << 20;
constexpr std::uint32_t first_entries = 8192, least_entries = 2048;  // of each list of a warp
constexpr unsigned block_warps = list_threads / 32;
constexpr double margin = 1.1;  // lists of one launch may be longer than those of another

/// Arrays begin at multiples of 256.
std::size_t padded_bytes(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

std::uint32_t with_margin(double length, std::uint32_t walks) {
  return static_cast<std::uint32_t>(std::min(margin * length * walks + 32, 4e9));
}

/// Takes an array off the front of `from`.
template <class T>
T* take_array(std::byte*& from, std::size_t count) {
  T* const start = reinterpret_cast<T*>(from);
  from += padded_bytes(count * sizeof(T));
  return start;
}

}  // namespace

std::size_t ListMaker::Plan::bytes() const {
  return padded_bytes(walks * sizeof(Walk)) + padded_bytes(cells * sizeof(std::uint32_t)) +
         padded_bytes(ranges * sizeof(ParticleRange)) + padded_bytes(results * sizeof(float4));
}

ListMaker::ListMaker(DeviceMemory& memory)
    : memory_((memory.make_current(), &memory)),
      warp_memory_(memory),
      again_{DeviceBuffer<std::uint32_t>(memory), DeviceBuffer<std::uint32_t>(memory)},
      long_(memory),
      arena_(memory),
      totals_(memory),
      usual_{first_entries, {}, {}},
      round_(usual_) {
  int count = 0;
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, memory.device()), "cudaDeviceGetAttribute");
  multiprocessors_ = static_cast<unsigned>(count);
}

bool ListMaker::reserve(const Stream& stream) {
  const std::size_t available = memory_->available();
  budget_ = std::max(std::min(most_bytes, available / 8), std::min(always_taken, available / 10 * 8));
  return budget_ >= least_bytes && totals_.reserve(1, stream);
}

void ListMaker::release(const Stream& stream) {
  warp_memory_.release(stream);
  for (auto* groups : {&again_[0], &again_[1], &long_}) groups->release(stream);
  arena_.release(stream);
  totals_.release(stream);
}

unsigned ListMaker::useful_warps() const {
  const std::size_t resident = std::size_t{multiprocessors_} * list_blocks * block_warps;
  return static_cast<unsigned>(std::max<std::size_t>(std::min<std::size_t>(resident, groups_), 1));
}

/// At most a third of the memory is the warps'.
unsigned ListMaker::warps_for(std::uint32_t entries) const {
  const std::size_t bytes = warp_memory(entries) * sizeof(std::uint32_t);
  return static_cast<unsigned>(std::clamp<std::size_t>(budget_ / 3 / bytes, 1, useful_warps()));
}

void ListMaker::make_warps(const Stream& stream) {
  const std::size_t indices = warp_memory(round_.entries), bytes = indices * sizeof(std::uint32_t);
  warps_ = warps_for(round_.entries);
  if (warp_memory_.reserve(warps_ * indices, stream)) return;
  warps_ = 1;
  if (warp_memory_.reserve(indices, stream)) return;
  throw too_small(*memory_, "it has no " + megabytes(bytes) + " left for the lists of a walk");
}

ListMaker::Plan ListMaker::plan_of(std::uint32_t walks) const {
  const Lengths& each = round_.lengths;
  return {walks, with_margin(each.cells, walks), with_margin(each.ranges, walks), with_margin(each.targets, walks)};
}

/// After a launch in which nothing had room, nothing new is begun, so that what is tried again has room in the end.
ListMaker::Plan ListMaker::plan_next(const Stream& stream) {
  std::uint32_t walks = stuck_ && again_count_ > 0 ? again_count_ : groups_ - next_ + again_count_;
  const double share = static_cast<double>(budget_) / 2 / static_cast<double>(plan_of(walks).bytes());
  if (share < 1) walks = std::max(static_cast<std::uint32_t>(share * walks), 1U);
  for (; walks > 0; walks /= 2) {
    const Plan plan = plan_of(walks);
    if (arena_.reserve(plan.bytes(), stream)) return plan;
  }
  throw too_small(*memory_, "it has no " + megabytes(plan_of(1).bytes()) + " left for the lists of a walk");
}

void ListMaker::begin(const ListTask& task, std::uint32_t groups, std::size_t particles, const Stream& stream) {
  task_ = task;
  groups_ = groups;
  next_ = again_count_ = long_count_ = 0;
  stuck_ = false;
  first_round_ = true;
  round_ = usual_;
  round_.asked = {};
  round_.lengths.targets = static_cast<double>(particles) / std::max(groups, 1U);
  count_ = {};
  seconds_ = 0;
  for (; round_.entries > least_entries && warps_for(round_.entries) < useful_warps(); round_.entries /= 2) {
  }
  made_.reserve(1);
  for (auto* numbers : {&again_[0], &again_[1], &long_}) {
    if (numbers->reserve(groups, stream)) continue;
    throw too_small(*memory_, "it has no room for the numbers of " + std::to_string(groups) + " groups");
  }
  make_warps(stream);
}

/// If many are too long, warps have more memory from the next evaluation on.
void ListMaker::begin_long_round(const Stream& stream) {
  constexpr std::uint32_t many = 64, longer = 4;
  if (first_round_) {
    usual_ = round_;
    if (long_count_ > groups_ / many) usual_.entries *= 2;
    first_round_ = false;
  }
  std::swap(again_[turn_], long_);
  again_count_ = std::exchange(long_count_, 0);
  round_.entries *= longer;
  const auto most = static_cast<double>(round_.entries);
  round_ = {round_.entries, {3 * most, most, longer * round_.lengths.targets}, {}};
  make_warps(stream);
}

ListChunk ListMaker::make_next(const Stream& stream) {
  if (round_done()) begin_long_round(stream);
  const Plan plan = plan_next(stream);
  chunk_ = plan.walks;
  std::byte* data = arena_.data();
  ListRoom room;
  room.walk = take_array<Walk>(data, plan.walks);
  room.cell = take_array<std::uint32_t>(data, plan.cells);
  room.range = take_array<ParticleRange>(data, plan.ranges);
  float4* const result = take_array<float4>(data, plan.results);
  room.cells = plan.cells;
  room.ranges = plan.ranges;
  room.results = plan.results;
  room.again = again_[1 - turn_].data();
  room.too_long = long_.data() + long_count_;
  room.memory = warp_memory_.data();
  room.entries = round_.entries;
  room.warps = warps_;
  const ListGroups groups{again_[turn_].data(), std::min(again_count_, chunk_), next_, chunk_};
  begun_.record(stream);
  check_cuda(cudaMemsetAsync(totals_.data(), 0, sizeof(ListTotals), stream.get()), "cudaMemsetAsync");
  make_lists(task_, groups, room, totals_.data(), stream.get());
  check_cuda(cudaMemcpyAsync(made_.data(), totals_.data(), sizeof(ListTotals), cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  ended_.record(stream);
  return {room.walk, room.cell, room.range, result, chunk_};
}

void ListMaker::finish_chunk(const Stream& stream) {
  ended_.synchronize();
  seconds_ += ended_.seconds_since(begun_);
  const ListTotals& totals = *made_.data();
  const std::uint32_t made = chunk_ - totals.again - totals.too_long;
  count_ += {.particle_pairs = totals.particle_pairs,
             .cell_pairs = totals.cell_pairs,
             .walks = made,
             .expansions = totals.expansions};
  const std::uint32_t tried = std::min(again_count_, chunk_), waiting = again_count_ - tried;
  if (waiting > 0) {
    check_cuda(cudaMemcpyAsync(again_[1 - turn_].data() + totals.again, again_[turn_].data() + tried,
                               waiting * sizeof(std::uint32_t), cudaMemcpyDeviceToDevice, stream.get()),
               "cudaMemcpyAsync");
  }
  next_ += chunk_ - tried;
  again_count_ = totals.again + waiting;
  turn_ = 1 - turn_;
  long_count_ += totals.too_long;
  stuck_ = made == 0;
  learn(totals);
  if (done() && first_round_) usual_ = round_;
}

void ListMaker::learn(const ListTotals& totals) {
  const std::uint32_t complete = chunk_ - totals.too_long;
  Asked& asked = round_.asked;
  asked.walks += complete;
  asked.cells += totals.cells;
  asked.ranges += totals.ranges;
  asked.results += totals.results;
  if (complete == 0 || (!first_round_ && !stuck_)) return;
  const bool alone = stuck_;  // these walks, which had no room
  const double walks = alone ? complete : asked.walks;
  round_.lengths = {static_cast<double>(alone ? totals.cells : asked.cells) / walks,
                    static_cast<double>(alone ? totals.ranges : asked.ranges) / walks,
                    static_cast<double>(alone ? totals.results : asked.results) / walks};
}

}  // namespace multiwalk
