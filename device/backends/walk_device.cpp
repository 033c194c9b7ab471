// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/walk_device.cuh"

#include "device/base/too_small.hpp"
#include "device/walk/walk_launch.cuh"
#include "host/base/phase_timer.hpp"
#include "host/force/particle_feed.hpp"

namespace multiwalk {

bool WalkDevice::prepare_resident_walks(std::size_t particles) {
  tree.release_all_but_walks(stream);
  if (reserve_results(particles) && walks.reserve(stream)) return true;
  arrays.release_results(stream);
  walks.release(stream);
  return false;
}

StoreResults WalkDevice::results(bool accumulate) {
  StoreResults to = results_in(arrays, accumulate);
  if (!tree.input().kept) return to;
  to.order = nullptr;
  to.acceleration = tree.input().acceleration.data();
  return to;
}

void WalkDevice::release_between_walks() {
  active.release(stream);
  tree.release_until_followed(arrays, stream);
}

MadeWalks WalkDevice::walk(const GroupWalks& task, bool own_groups) {
  memory.make_current();
  ResidentTree resident{tree.walk_tree(), tree.group(),       tree.smallest_pull(), nullptr,
                        sharing.roots(),  tree.group_count(), tree.particle_count()};
  if (!own_groups) walks.replace_groups(task, resident, stream);
  return walks.walk(task, resident, launch, results(false), stream);
}

void WalkDevice::read_kept() {
  launch.position = launch.target_position = tree.input().position.data();
  launch.mass = launch.target_mass = tree.input().mass.data();
}

MadeWalks WalkDevice::walk_active(const ActiveWalks& task, bool fresh, bool large_groups) {
  memory.make_current();
  const StoreCopy& kept = tree.input();
  const double began = wall_time();
  if (!(fresh || tree.follow_particles(task.walks, arrays, stream)) || !walks.reserve(stream)) {
    throw too_small(memory, "it has no room for the walks of active particles");
  }
  launch = walk_launch(arrays, task.law, true, true);
  launch.large_groups = large_groups;
  read_kept();
  const std::uint32_t groups = active.choose(
      tree.group(), tree.group_count(),
      {kept.position.data(), kept.acceleration.data(), kept.rung.data(), task.least_rung, task.walks.background},
      stream);
  const double following = wall_time() - began;
  if (groups == 0) {
    walks.release(stream);
    return {.following = following};
  }
  const ResidentTree resident{
      tree.walk_tree(),     active.group(),  task.walks.options.relative() ? active.smallest_pull() : nullptr,
      active.run(),         sharing.roots(), groups,
      tree.particle_count()};
  StoreResults store;
  store.acceleration = kept.acceleration.data();
  store.rung = kept.rung.data();
  store.long_range = kept.long_range.data();
  store.least_rung = task.least_rung;
  MadeWalks made = walks.walk({task.walks, {}, {}}, resident, launch, store, stream);
  made.following = following;
  walks.release(stream);
  return made;
}

void WalkDevice::copy_results(const TargetView& targets) {
  memory.make_current();
  if (targets.feed != nullptr && reader.writes(*targets.feed, stream)) {
    targets.feed->wrote_results(
        reader.results(*targets.feed->raw(), arrays.acceleration.data(), arrays.potential.data(), stream));
    return;
  }
  if (targets.feed != nullptr) {
    targets.feed->begin_giving();
    pieces.bring(arrays.acceleration.data(), arrays.potential.data(), targets.acceleration.size(), stream,
                 [&](std::size_t first, auto acceleration, auto potential) {
                   targets.feed->take_results(first, acceleration, potential);
                 });
    return;
  }
  const auto copy = [&](auto to, const auto& from) {
    check_cuda(cudaMemcpyAsync(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
               "cudaMemcpyAsync");
  };
  copy(targets.acceleration, arrays.acceleration);
  copy(targets.potential, arrays.potential);
  if (!targets.work.empty()) copy(targets.work, arrays.work);
  check_cuda(cudaStreamSynchronize(stream.get()), "copying the forces to the host");
}

void WalkDevice::end_resident_walks() {
  memory.make_current();
  active.release(stream);
  walks.release(stream);
  sharing.release(stream);
  tree.release(stream);
}

}  // namespace multiwalk
