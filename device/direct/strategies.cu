// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "device/base/device_buffer.cuh"
#include "device/direct/strategies.hpp"
#include "device/direct/tile_kernel.cuh"
#include "host/base/error.hpp"
#include "host/direct/find_frame.hpp"

namespace multiwalk {

namespace {

using TileKernel = void (*)(TilePlan, TilePair, const TileBody*, TileSums, unsigned*);

TileKernel kernel_of(const SumStrategy& strategy) {
  if (strategy.order == TileOrder::triangle) return tile_kernel<true, 1>;
  return strategy.each == 1 ? tile_kernel<false, 1> : tile_kernel<false, 4>;
}

/// `resident`: blocks that fit on the device at once.
TilePlan plan_of(const SumStrategy& strategy, std::size_t bodies, unsigned resident) {
  constexpr unsigned bag = 256;
  const unsigned square = strategy.threads * strategy.each;
  TilePlan plan;
  plan.side = blocks_for(bodies, square);
  plan.triangle = strategy.order == TileOrder::triangle;
  plan.by_columns = strategy.order == TileOrder::chamomile;
  if (strategy.order == TileOrder::j_parallel) plan.parts = std::min(plan.side, resident);
  if (strategy.order == TileOrder::chamomile) plan.parts = blocks_for(plan.side, std::max(1U, bag / square));
  if (strategy.order == TileOrder::square) plan.parts = plan.side;
  const std::size_t side = plan.side, units = plan.triangle ? side * (side + 1) / 2 : side * plan.parts;
  require(units < (std::size_t{1} << 31), "too many bodies for this strategy of direct summation");
  plan.units = static_cast<unsigned>(units);
  plan.blocks = plan.units;
  if (strategy.order == TileOrder::j_parallel) {  // a block keeps its part of the sources
    plan.blocks = std::min(plan.units, resident / plan.parts * plan.parts);
  }
  if (strategy.order == TileOrder::chamomile) plan.blocks = plan.side;  // a block keeps its targets
  if (strategy.sharing == BlockSharing::queue) plan.blocks = std::min(plan.units, resident);
  if (strategy.sharing == BlockSharing::one_block) plan.blocks = 1;
  if (strategy.blocks > 0) plan.blocks = strategy.blocks;
  return plan;
}

class StrategyBackend final : public DirectBackend {
 public:
  /// The device must be current.
  StrategyBackend(const SumStrategy& strategy, int device) : strategy_(strategy), memory_(device, 0) {
    int multiprocessors = 0, blocks = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
               "cudaDeviceGetAttribute");
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel_of(strategy),
                                                             static_cast<int>(strategy.threads), shared_bytes()),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    resident_ = static_cast<unsigned>(std::max(1, multiprocessors * blocks));
  }

  [[nodiscard]] std::string_view name() const override { return strategy_.name; }
  [[nodiscard]] std::string description() const override { return strategy_.name; }
  [[nodiscard]] double kernel_seconds() const override { return kernel_seconds_; }

  void sum(const DirectTask& task) override {
    check_task(task);
    if (task.target_position.empty()) return;
    DirectTask rounded = task;
    rounded.precision.splitting = Splitting::single;
    const DirectFrame frame = direct_frame(rounded);
    const double softening2 = frame.softening2(task.softening2);
    require(task.mutual() && task.jerk.empty() && is_softened(softening2),
            "strategies of direct summation take softened bodies that are targets and sources, and no jerk");
    require(!frame.full,
            "strategies of direct summation work in single precision, which is too coarse for these bodies");
    memory_.make_current();
    const TilePlan plan = plan_of(strategy_, task.source_position.size(), resident_);
    upload(task, frame, std::size_t{plan.side} * strategy_.threads * strategy_.each);
    run(plan, TilePair{softening2});
    std::vector<float> sums(4 * padded_);
    check_cuda(
        cudaMemcpyAsync(sums.data(), sums_.data(), sums.size() * sizeof(float), cudaMemcpyDeviceToHost, stream_.get()),
        "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream_.get()), "a strategy of direct summation");
    kernel_seconds_ = ended_.seconds_since(began_);
    store(task, frame, softening2, sums);
  }

 private:
  [[nodiscard]] std::size_t shared_bytes() const {
    return strategy_.threads *
           (sizeof(TileBody) + (strategy_.order == TileOrder::triangle ? sizeof(Aligned<TileSum>) : 0));
  }

  void upload(const DirectTask& task, const DirectFrame& frame, std::size_t padded) {
    padded_ = padded;
    std::vector<TileBody> body(padded);
    for (std::size_t i = 0; i < task.source_position.size(); ++i) {
      body[i].record.position.hi = static_cast<Vec3f>((task.source_position[i] - frame.centre) * (1 / frame.length));
      body[i].record.mass = static_cast<float>(task.source_mass[i] / frame.mass);
    }
    require(body_.reserve(padded, stream_) && sums_.reserve(4 * padded, stream_) && queue_.reserve(1, stream_),
            "the GPU has not the memory for the bodies");
    check_cuda(
        cudaMemcpyAsync(body_.data(), body.data(), padded * sizeof(TileBody), cudaMemcpyHostToDevice, stream_.get()),
        "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream_.get()), "copying bodies");
  }

  void run(const TilePlan& plan, const TilePair& pair) {
    began_.record(stream_);
    check_cuda(cudaMemsetAsync(sums_.data(), 0, 4 * padded_ * sizeof(float), stream_.get()), "cudaMemsetAsync");
    unsigned* const queue = strategy_.sharing == BlockSharing::queue ? queue_.data() : nullptr;
    if (queue != nullptr) check_cuda(cudaMemsetAsync(queue, 0, sizeof(unsigned), stream_.get()), "cudaMemsetAsync");
    kernel_of(strategy_)<<<plan.blocks, strategy_.threads, shared_bytes(), stream_.get()>>>(
        plan, pair, body_.data(), TileSums{sums_.data(), padded_}, queue);
    check_cuda(cudaGetLastError(), "tile_kernel");
    ended_.record(stream_);
  }

  /// In the task's units; own pairs are taken out of potentials.
  void store(const DirectTask& task, const DirectFrame& frame, double softening2,
             const std::vector<float>& sums) const {
    const auto value = [&](std::size_t c, std::size_t i) { return static_cast<double>(sums[c * padded_ + i]); };
    for (std::size_t i = 0; i < task.acceleration.size(); ++i) {
      task.acceleration[i] = frame.acceleration() * Vec3d{value(0, i), value(1, i), value(2, i)};
    }
    const float own = inverse_sqrt(static_cast<float>(softening2));
    for (std::size_t i = 0; i < task.potential.size(); ++i) {
      const float mass = task.target_mass.empty() ? 0 : static_cast<float>(task.target_mass[i] / frame.mass);
      task.potential[i] = frame.potential() * (static_cast<double>(mass * own) - value(3, i));
    }
  }

  SumStrategy strategy_;
  DeviceMemory memory_;
  Stream stream_;
  Event began_, ended_;
  DeviceBuffer<TileBody> body_{memory_};
  DeviceBuffer<float> sums_{memory_};
  DeviceBuffer<unsigned> queue_{memory_};
  std::size_t padded_ = 0;
  unsigned resident_ = 1;
  double kernel_seconds_ = 0;
};

}  // namespace

std::unique_ptr<DirectBackend> make_strategy_backend(const SumStrategy& strategy, int device) {
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  return std::make_unique<StrategyBackend>(strategy, device);
}

}  // namespace multiwalk
