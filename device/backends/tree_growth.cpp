// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/tree_growth.hpp"

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

Box TreeGrowth::upload_positions(ParticleFeed& feed, std::size_t particles) {
  const auto make = [&](std::size_t first, std::size_t count, std::span<std::byte* const> place) {
    feed.give_positions(first, {reinterpret_cast<Vec3d*>(place[0]), count});
  };
  devices_.upload_made(
      particles, make, &WalkDevice::stream, [](WalkDevice & d) -> auto& { return d.tree.input().position; });
  return feed.end_positions();
}

void TreeGrowth::upload_rest(ParticleFeed& feed, std::size_t particles) {
  const auto make = [&](std::size_t first, std::size_t count, std::span<std::byte* const> place) {
    auto* const acceleration = accelerations_ ? reinterpret_cast<Vec3f*>(place[1]) : nullptr;
    feed.give_rest(first, {reinterpret_cast<float*>(place[0]), count}, {acceleration, accelerations_ ? count : 0});
  };
  const auto mass = [](WalkDevice & d) -> auto& {
    return d.tree.input().mass;
  };
  const auto acceleration = [](WalkDevice & d) -> auto& {
    return d.tree.input().acceleration;
  };
  if (accelerations_) {
    devices_.upload_made(particles, make, &WalkDevice::side, mass, acceleration);
  } else {
    devices_.upload_made(particles, make, &WalkDevice::side, mass);
  }
  for (const auto& device : devices_) {
    device->tree.input().masses_there.record(device->side);
    device->tree.input().all_there.record(device->side);
  }
  feed.end_rest();
}

std::optional<Box> TreeGrowth::upload(const ParticleStore& particles, PhaseTimer& timer) {
  if (!reserve(particles.size())) return std::nullopt;
  if (feed_ != nullptr) return upload_positions(*feed_, particles.size());
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

bool TreeGrowth::grow_trees(const GrowthTask& task, const Cube& cube, LocalTree& tree, PhaseTimer& timer) {
  timer.enter(Phase::sort);
  for (const auto& device : devices_) {
    device->memory.make_current();
    if (!device->tree.sort(cube, device->arrays, device->stream)) return false;
  }
  if (feed_ != nullptr) upload_rest(*feed_, devices_.first().tree.particle_count());
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
    if (!device->tree.grow(task, device->arrays, device->stream)) return false;
  }
  first.memory.make_current();
  return true;
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
