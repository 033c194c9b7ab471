// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/walk_device.cuh"

#include "device/walk/walk_launch.cuh"

namespace multiwalk {

bool WalkDevice::prepare_resident_walks(std::size_t particles) {
  tree.release_all_but_walks(stream);
  if (arrays.reserve_results(particles, stream) && walks.reserve(stream)) {
    return true;
  }
  arrays.release_results(stream);
  walks.release(stream);
  return false;
}

MadeWalks WalkDevice::walk(const GroupWalks& task, bool own_groups) {
  memory.make_current();
  ResidentTree resident{tree.walk_tree(), tree.group(), tree.smallest_pull(), tree.group_count(),
                        tree.particle_count()};
  if (!own_groups) walks.replace_groups(task, resident, stream);
  return walks.walk(task, resident, launch, results(false), stream);
}

void WalkDevice::copy_results(const TargetView& targets) {
  memory.make_current();
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
  walks.release(stream);
  tree.release(stream);
}

}  // namespace multiwalk
