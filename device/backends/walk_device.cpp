// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/walk_device.cuh"

#include "device/walk/walk_launch.cuh"

namespace multiwalk {

bool WalkDevice::prepare_resident_walks(std::size_t particles) {
  tree.release_all_but_walks(stream);
  if (arrays.reserve_results(particles, stream) && arrays.work.reserve(particles, stream) && walks.reserve(stream)) {
    return true;
  }
  arrays.release_results(stream);
  walks.release(stream);
  return false;
}

MadeWalks WalkDevice::walk(const GroupWalks& task, bool own_groups) {
  memory.make_current();
  ResidentTree resident{tree.walk_tree(), tree.group(), tree.smallest_pull(), tree.group_count()};
  if (!own_groups) walks.replace_groups(task, resident, stream);
  StoreResults store = results(false);
  store.work = arrays.work.data();
  return walks.walk(task, resident, launch, store, stream);
}

void WalkDevice::copy_results(const TargetView& targets, std::span<float> work) {
  memory.make_current();
  const auto copy = [&](auto to, const auto& from) {
    check_cuda(cudaMemcpyAsync(to.data(), from.data(), to.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
               "cudaMemcpyAsync");
  };
  copy(targets.acceleration, arrays.acceleration);
  copy(targets.potential, arrays.potential);
  if (!work.empty()) copy(work, arrays.work);
  check_cuda(cudaStreamSynchronize(stream.get()), "copying the forces to the host");
}

void WalkDevice::end_resident_walks() {
  memory.make_current();
  walks.release(stream);
  tree.release(stream);
}

}  // namespace multiwalk
