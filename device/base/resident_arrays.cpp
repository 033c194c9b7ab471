// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/resident_arrays.cuh"

#include <utility>

namespace multiwalk {

namespace {

/// Reserves some extra room, since the number of nodes changes a little from step to step.
template <class T>
bool reserve_some(DeviceBuffer<T>& buffer, std::size_t count, const Stream& stream) {
  return buffer.reserve_growing(count, count / 16, stream);
}

}  // namespace

std::size_t resident_bytes(const TreeView& sources, const TargetView& targets) {
  const std::size_t particle = sizeof(Vec3d) + sizeof(float);
  return sources.position.size() * particle + sources.multipole.size() * sizeof(Multipole) +
         (shared_arrays(sources, targets) ? 0 : targets.position.size() * particle);
}

bool ResidentArrays::reserve(const TreeView& sources, const TargetView& targets, const Stream& stream) {
  bool ok = reserve_some(position, sources.position.size(), stream) &&
            reserve_some(mass, sources.mass.size(), stream) &&
            reserve_some(multipole, sources.multipole.size(), stream);
  if (!shared_arrays(sources, targets)) {
    ok = ok && reserve_some(target_position, targets.position.size(), stream) &&
         reserve_some(target_mass, targets.mass.size(), stream);
  }
  return ok;
}

bool ResidentArrays::reserve_changes(std::size_t nodes, const Stream& stream) {
  return reserve_some(changed_node, nodes, stream) && reserve_some(changed_multipole, nodes, stream);
}

bool ResidentArrays::reserve_results(std::size_t particles, bool accelerations, const Stream& stream) {
  if ((!accelerations || acceleration.reserve(particles, stream)) && potential.reserve(particles, stream) &&
      work.reserve(particles, stream)) {
    return true;
  }
  release_results(stream);
  return false;
}

void ResidentArrays::release_results(const Stream& stream) {
  order.release(stream);
  acceleration.release(stream);
  potential.release(stream);
  work.release(stream);
}

void ResidentArrays::exchange_roles() {
  std::swap(position, target_position);
  std::swap(mass, target_mass);
}

void ResidentArrays::release(const Stream& stream) {
  for (auto* positions : {&position, &target_position}) positions->release(stream);
  for (auto* masses : {&mass, &target_mass}) masses->release(stream);
  multipole.release(stream);
  changed_node.release(stream);
  changed_multipole.release(stream);
  release_results(stream);
}

}  // namespace multiwalk
