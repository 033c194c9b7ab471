// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/tree_growth.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "device/base/too_small.hpp"

namespace multiwalk {

namespace {

/// Groups of at most this size are evaluated faster by the kernel for small ones.
constexpr std::uint32_t largest_small_group = 384;

}  // namespace

bool TreeGrowth::reserve(std::size_t particles) {
  for (const auto& device : devices_) {
    device->memory.make_current();
    device->arrays.release(device->stream);
    if (!device->tree.reserve_input(particles, accelerations_, device->stream)) return false;
    device->tree.input().reserved.record(device->stream);
    device->side.wait(device->tree.input().reserved);
  }
  return true;
}

/// Waits only for the positions.
void TreeGrowth::upload_store(const ParticleStore& particles) {
  devices_.upload(
      std::span(particles.position), [](WalkDevice & d) -> auto& { return d.tree.input().position; });
  devices_.upload(
      std::span(particles.mass), [](WalkDevice & d) -> auto& { return d.tree.input().mass; }, &WalkDevice::side);
  for (const auto& device : devices_) device->tree.input().masses_there.record(device->side);
  if (accelerations_) {
    devices_.upload(
        std::span(particles.acceleration), [](WalkDevice & d) -> auto& { return d.tree.input().acceleration; },
        &WalkDevice::side);
  }
  for (const auto& device : devices_) {
    device->tree.input().all_there.record(device->side);
    check_cuda(cudaStreamSynchronize(device->stream.get()), "copying the particles to the device");
  }
}

Box TreeGrowth::upload_positions() {
  if (raw_ != nullptr) {
    WalkDevice& device = devices_.first();
    FoundNumbers found = device.reader.positions(*raw_, device.tree.input(), device.stream);
    const std::optional<Box> box = device.tree.find_box(device.stream);
    if (!box) throw too_small(device.memory, "it has no room to find the box of the particles");
    found.box = *box;
    feed_->found_positions(found);
    return feed_->end_positions();
  }
  feed_->begin_giving();
  devices_
      .made_line<Vec3d>(
          particles(), &WalkDevice::stream, [](WalkDevice & d) -> auto& { return d.tree.input().position; },
          [this](std::size_t first, std::span<Vec3d> position) { feed_->give_positions(first, position); })
      .run();
  return feed_->end_positions();
}

void TreeGrowth::upload_masses() {
  if (raw_ != nullptr) {
    WalkDevice& device = devices_.first();
    feed_->found_masses(device.reader.masses(*raw_, device.tree.input(), device.side));
    feed_->end_masses();
    return;
  }
  devices_
      .made_line<float>(
          particles(), &WalkDevice::side, [](WalkDevice & d) -> auto& { return d.tree.input().mass; },
          [this](std::size_t first, std::span<float> mass) { feed_->give_masses(first, mass); })
      .run();
  for (const auto& device : devices_) {
    device->tree.input().masses_there.record(device->side);
    device->tree.input().all_there.record(device->side);
  }
  feed_->end_masses();
}

bool TreeGrowth::build_beside_accelerations(const GrowthTask& task, LocalTree& tree, PhaseTimer& timer) {
  if (raw_ != nullptr) {
    WalkDevice& device = devices_.first();
    device.reader.begin_accelerations(*raw_, device.tree.input(), particles(), device.side);
    const bool built = build(task, tree, timer, [] {});
    feed_->found_accelerations(device.reader.end_accelerations(device.side));
    feed_->end_accelerations();
    return built;
  }
  PieceLine line = devices_.made_line<Vec3f>(
      particles(), &WalkDevice::side, [](WalkDevice & d) -> auto& { return d.tree.input().acceleration; },
      [this](std::size_t first, std::span<Vec3f> acceleration) { feed_->give_accelerations(first, acceleration); });
  std::atomic<bool> sent = false;
  std::exception_ptr failure;
  bool built = false;
  const auto send = [&](int rank, int size) {
    line.join(rank, size);
    if (rank > 0) return;
    for (const auto& device : devices_) {
      if (cudaEventRecord(device->tree.input().all_there.get(), device->side.get()) != cudaSuccess)
        break;  // seen later
    }
    sent = true;
  };
  const auto wait = [&] {
    while (!sent) std::this_thread::yield();
  };
#pragma omp parallel
  {
    const int rank = omp_get_thread_num(), others = omp_get_num_threads() - 1;
    if (rank > 0 || others == 0) send(std::max(0, rank - 1), std::max(1, others));
    if (rank == 0) {
      try {
        built = build(task, tree, timer, wait);
      } catch (...) {
        failure = std::current_exception();
      }
    }
  }
  line.require_moved();
  if (failure) std::rethrow_exception(failure);
  feed_->end_accelerations();
  return built;
}

std::optional<Box> TreeGrowth::upload(const ParticleStore& particles, PhaseTimer& timer) {
  if (!reserve(particles.size())) return std::nullopt;
  if (feed_ != nullptr) return upload_positions();
  if (!kept_.keeps(particles)) upload_store(particles);
  timer.enter(Phase::sort);
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  return device.tree.find_box(device.stream);
}

std::optional<Box> TreeGrowth::take(const ParticleStore& particles, const GrowthTask& task, PhaseTimer& timer) {
  if (particles.size() < least_on_device || particles.size() > UINT32_MAX - 1) return std::nullopt;
  timer.enter(Phase::transfer);
  kept_.make_way_for(&particles);
  require(task.feed == nullptr || !kept_.keeps(particles), "kept particles are not fed");
  kept_.results_go();
  accelerations_ = task.walks.options.relative();
  feed_ = task.feed;
  const bool readable = feed_ != nullptr && devices_.size() == 1 && devices_.first().reader.reads(*feed_);
  raw_ = readable ? feed_->raw() : nullptr;
  std::optional<Box> box;
  try {
    box = upload(particles, timer);
  } catch (...) {
    end_growth(false);
    throw;
  }
  if (!box) end_growth(false);
  return box;
}

/// Whether the host needs no order, if the device can make the walks.
bool TreeGrowth::stays(const GrowthTask& task) const {
  return task.resident && devices_.first().tree.input().kept;
}

bool TreeGrowth::build(const GrowthTask& task, LocalTree& tree, PhaseTimer& timer,
                       const std::function<void()>& wait_for_accelerations) {
  for (const auto& device : devices_) {
    device->memory.make_current();
    if (!device->tree.end_sort(device->arrays, device->stream)) return false;
  }
  timer.enter(Phase::tree);
  WalkDevice& first = devices_.first();
  first.memory.make_current();
  if (!stays(task)) first.tree.copy_order(copy_, tree, first.side);
  for (const auto& device : devices_) {
    device->memory.make_current();
    if (!device->tree.grow(task, device->arrays, wait_for_accelerations, device->stream)) return false;
  }
  first.memory.make_current();
  return true;
}

bool TreeGrowth::grow_trees(const GrowthTask& task, const Cube& cube, LocalTree& tree, PhaseTimer& timer) {
  timer.enter(Phase::sort);
  for (const auto& device : devices_) {
    device->memory.make_current();
    if (!device->tree.sort(cube, device->arrays, device->stream)) return false;
  }
  if (feed_ != nullptr) upload_masses();
  if (feed_ != nullptr && accelerations_) return build_beside_accelerations(task, tree, timer);
  return build(task, tree, timer, [] {});
}

void TreeGrowth::end_growth(bool grown) {
  for (const auto& device : devices_) {
    device->memory.make_current();
    check_cuda(cudaStreamSynchronize(device->side.get()), "copies beside the sort");
    if (grown) device->tree.move_order(device->arrays.order);
    if (!resident_) device->tree.release(device->stream);
    if (!grown) check_cuda(cudaStreamSynchronize(device->stream.get()), "giving up a tree");
  }
}

std::optional<LocalTree> TreeGrowth::grow(const GrowthTask& task, const Cube& cube, PhaseTimer& timer) {
  LocalTree tree;
  tree.walks = task.walks;
  large_groups_ = task.group_size > largest_small_group;
  bool grown = false;
  try {
    grown = grow_trees(task, cube, tree, timer);
  } catch (...) {
    end_growth(false);
    throw;
  }
  if (grown) {
    timer.enter(Phase::transfer);
    WalkDevice& first = devices_.first();
    first.memory.make_current();
    resident_ = task.resident && first.prepare_resident_walks(first.tree.particle_count());
    tree.resident = resident_;
    first.tree.input().grown = first.tree.input().kept && resident_;
    if (stays(task) && !resident_) first.tree.copy_order(copy_, tree, first.side);
    first.tree.copy_tree(copy_, tree, task.whole, first.arrays, first.stream);
  }
  end_growth(grown);
  return grown ? std::optional(tree) : std::nullopt;
}

}  // namespace multiwalk
