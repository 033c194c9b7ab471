// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/tree/device_tree.cuh"

#include <algorithm>

#include "device/tree/node_moments.cuh"

namespace multiwalk {

namespace {

template <class T>
T* copy_to_host(PinnedBuffer<T>& to, const T* from, std::size_t count, const Stream& stream) {
  T* data = to.reserve(count);
  check_cuda(cudaMemcpyAsync(data, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  return data;
}

}  // namespace

DeviceTree::DeviceTree(DeviceMemory& memory)
    : input_(memory),
      bounds_(memory),
      key_(memory),
      order_(memory),
      node_(memory),
      node_key_(memory),
      spill_(memory),
      split_(memory),
      families_(memory),
      groups_(memory),
      scratch_(memory) {}

bool DeviceTree::reserve_input(std::size_t n, bool accelerations, const Stream& stream) {
  particles_ = static_cast<std::uint32_t>(n);
  accelerations_ = accelerations;
  return input_.kept || input_.reserve(n, accelerations, stream);
}

std::optional<Box> DeviceTree::find_box(const Stream& stream) {
  if (!bounds_.reserve(bounds_parts + 1, stream)) return std::nullopt;
  find_bounds(input_.position.data(), particles_, bounds_.data(), stream);
  Bounds bounds{};
  check_cuda(cudaMemcpyAsync(&bounds, bounds_.data(), sizeof bounds, cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "finding the bounds of the particles");
  return Box{bounds.lo, bounds.hi};
}

bool DeviceTree::sort(const Cube& cube, ResidentArrays& arrays, const Stream& stream) {
  const std::size_t n = particles_;
  cube_ = cube;
  if (!key_.result.reserve(n, stream) || !key_.other.reserve(n, stream) || !order_.result.reserve(n, stream) ||
      !order_.other.reserve(n, stream)) {
    return false;
  }
  make_keys(input_.position.data(), n, cube_, key_.result.data(), order_.result.data(), stream);
  if (!sort_keys(key_, order_, n, scratch_, stream)) return false;
  key_.other.release(stream);
  order_.other.release(stream);
  scratch_.release(stream);
  if (input_.kept) order_ties(key_.result.data(), n, input_.index.data(), order_.result.data(), stream);
  return input_.kept ? reorder_kept(arrays, stream) : copy_sorted_positions(arrays, stream);
}

bool DeviceTree::end_sort(ResidentArrays& arrays, const Stream& stream) {
  if (!input_.kept) {
    if (!arrays.mass.reserve(particles_, stream)) return false;
    stream.wait(input_.masses_there);
    gather(order_.result.data(), particles_, input_.mass.data(), arrays.mass.data(), stream);
    input_.mass.release(stream);
  }
  check_cuda(cudaStreamSynchronize(stream.get()), "sorting the particles");
  return true;
}

bool DeviceTree::copy_sorted_positions(ResidentArrays& arrays, const Stream& stream) {
  if (!arrays.position.reserve(particles_, stream)) return false;
  gather(order_.result.data(), particles_, input_.position.data(), arrays.position.data(), stream);
  input_.position.release(stream);
  return true;
}

/// Reserves all memory before anything changes. Among the large arrays only positions are held twice. Their old memory
/// has room for two vectors of single precision per particle: it takes the masses, and the velocities while each of the
/// other vectors moves to the memory of the one before it.
bool DeviceTree::reorder_kept(ResidentArrays& arrays, const Stream& stream) {
  const std::size_t n = particles_;
  const std::uint32_t* const order = order_.result.data();
  const std::size_t spare = std::max<std::size_t>(foreign_.particles, input_.spare);
  if (!input_.next_index.reserve_growing(n, input_.spare, stream) ||
      (input_.rungs && !input_.next_rung.reserve_growing(n, input_.spare, stream)) ||
      !arrays.position.reserve_growing(n, spare, stream)) {
    return false;
  }
  const auto reorder = [&](auto& array, auto& room) {
    gather(order, n, array.data(), room.data(), stream);
    std::swap(array, room);
  };
  const auto copy_back = [&](auto& array, const auto* from) {
    check_cuda(cudaMemcpyAsync(array.data(), from, n * sizeof *from, cudaMemcpyDeviceToDevice, stream.get()),
               "cudaMemcpyAsync");
  };
  reorder(input_.position, arrays.position);
  reorder(input_.index, input_.next_index);
  if (input_.rungs) reorder(input_.rung, input_.next_rung);
  auto* const vectors = reinterpret_cast<Vec3f*>(arrays.position.data());
  auto* const numbers = reinterpret_cast<float*>(vectors + n);
  static_assert(sizeof(Vec3d) >= sizeof(Vec3f) + sizeof(float));
  gather(order, n, input_.mass.data(), numbers, stream);
  copy_back(input_.mass, numbers);
  gather(order, n, input_.velocity.data(), vectors, stream);
  reorder(input_.acceleration, input_.velocity);
  if (input_.rungs) reorder(input_.long_range, input_.velocity);
  copy_back(input_.velocity, vectors);
  arrays.position.release(stream);
  order_.result.release(stream);
  return true;
}

TreeOnDevice DeviceTree::view(const ResidentArrays& arrays) const {
  return {node_.data(), arrays.multipole.data(), level_offset_.back(), position(arrays), key_.result.data(), particles_,
          cube_};
}

bool DeviceTree::grow(const GrowthTask& task, ResidentArrays& arrays,
                      const std::function<void()>& wait_for_accelerations, const Stream& stream) {
  if (!split_(key_.result.data(), particles_, task.walks.options.leaf_size, node_, level_offset_, stream)) return false;
  split_.release(stream);
  const std::size_t nodes = level_offset_.back();
  if (!arrays.multipole.reserve_growing(nodes, nodes / 16 + foreign_.nodes, stream)) return false;
  find_moments({node_.data(), level_offset_, position(arrays), mass(arrays), arrays.multipole.data()}, stream);
  if (input_.rungs) {
    if (!node_key_.reserve_growing(nodes, nodes / 16, stream) || !spill_.reserve_growing(nodes, nodes / 16, stream)) {
      return false;
    }
    copy_node_keys(node_.data(), static_cast<std::uint32_t>(nodes), key_.result.data(), node_key_.data(), stream);
  }
  const TreeOnDevice tree = view(arrays);
  shared_ = task.shared;
  family_count_ = families_(tree, task.walks.options, task.walks.gravitational_constant, task.whole || shared_, stream);
  if (family_count_ == 0) return false;
  wait_for_accelerations();
  stream.wait(input_.all_there);
  const OldAccelerations old{accelerations_ ? input_.acceleration.data() : nullptr,
                             input_.kept ? nullptr : order_.result.data(), task.walks.background};
  group_count_ = groups_(tree, task.group_size, old, stream);
  return group_count_ > 0 && !(input_.kept && groups_.any_wide());
}

bool DeviceTree::follow_particles(const WalkSettings& walks, ResidentArrays& arrays, const Stream& stream) {
  const std::size_t nodes = level_offset_.back();
  if (!arrays.multipole.reserve_growing(nodes, nodes / 16, stream) ||
      !spill_.reserve_growing(nodes, nodes / 16, stream)) {
    return false;
  }
  const MovedCells moved{node_key_.data(), spill_.data()};
  find_moments(
      {node_.data(), level_offset_, input_.position.data(), input_.mass.data(), arrays.multipole.data(), cube_, moved},
      stream);
  const TreeOnDevice tree{
      node_.data(), arrays.multipole.data(), level_offset_.back(), nullptr, nullptr, particles_, cube_, moved};
  return families_(tree, walks.options, walks.gravitational_constant, false, stream) == family_count_;
}

void DeviceTree::copy_order(GrownCopy& copy, LocalTree& tree, const Stream& stream) const {
  const auto& order = input_.kept ? input_.index : order_.result;
  tree.order = {copy_to_host(copy.order, order.data(), particles_, stream), particles_};
}

void DeviceTree::copy_tree(GrownCopy& copy, LocalTree& tree, bool whole, const ResidentArrays& arrays,
                           const Stream& stream) const {
  copy.smallest.clear();
  tree.smallest = copy.smallest;
  if (tree.resident && !groups_.any_wide()) return;
  const std::uint32_t nodes = level_offset_.back();
  if (!tree.resident) {
    tree.families = {copy_to_host(copy.family, families_.family(), family_count_, stream), family_count_};
    tree.walk = walk_tree();
    tree.walk.node = copy_to_host(copy.node, node_.data(), nodes, stream);
    tree.walk.family = tree.families.data();
  }
  tree.groups = {copy_to_host(copy.group, groups_.group(), group_count_, stream), group_count_};
  if (whole) {
    tree.multipole = {copy_to_host(copy.multipole, arrays.multipole.data(), nodes, stream), nodes};
    tree.tree.cube = cube_;
    tree.tree.node = {copy.node.data(), nodes};
    tree.tree.multipole = tree.multipole;
    tree.radius = {copy_to_host(copy.radius, families_.radius(), nodes, stream), nodes};
  }
  if (accelerations_) copy_to_host(copy.smallest_pull, groups_.smallest_pull(), group_count_, stream);
  check_cuda(cudaStreamSynchronize(stream.get()), "copying the tree's records to the host");
  if (accelerations_) copy.smallest.assign(copy.smallest_pull.data(), copy.smallest_pull.data() + group_count_);
  tree.smallest = copy.smallest;
}

WalkTree DeviceTree::walk_tree() const {
  return {node_.data(), families_.family(), cube_.corner, walk_units_per_length(cube_), cube_.periodic};
}

CutTree DeviceTree::cut_tree(const ResidentArrays& arrays) const {
  require(shared_ && input_.kept, "only a tree of kept particles is shared");
  return {{families_.family(), node_.data(), arrays.multipole.data(), input_.position.data(), input_.mass.data()},
          {family_count_, level_offset_.back(), particles_},
          families_.radius(),
          families_.below(),
          level_offset_,
          cube_};
}

bool DeviceTree::reserve_more(const TreeSize& all, ResidentArrays& arrays, const Stream& stream) {
  const std::uint32_t nodes = level_offset_.back();
  const auto roomy = [](std::uint32_t more) { return more + more / 8; };
  foreign_ = {0, roomy(all.nodes - nodes), roomy(all.particles - particles_)};
  return families_.reserve_more(all.families, family_count_, stream) &&
         node_.reserve_keeping(all.nodes, nodes, all.nodes / 16, stream) &&
         arrays.multipole.reserve_keeping(all.nodes, nodes, all.nodes / 16, stream) &&
         input_.position.reserve_keeping(all.particles, particles_, all.particles / 16, stream) &&
         input_.mass.reserve_keeping(all.particles, particles_, all.particles / 16, stream);
}

void DeviceTree::release_until_followed(ResidentArrays& arrays, const Stream& stream) {
  arrays.multipole.release(stream);
  families_.release(stream);
  spill_.release(stream);
}

void DeviceTree::release_all_but_walks(const Stream& stream) {
  stream.wait(input_.all_there);
  input_.release(stream);
  for (auto* keys : {&key_.result, &key_.other}) keys->release(stream);
  order_.other.release(stream);
  split_.release(stream);
  if (!shared_) families_.release_scratch(stream);
  groups_.release_scratch(stream);
  scratch_.release(stream);
}

void DeviceTree::release(const Stream& stream) {
  release_all_but_walks(stream);
  order_.result.release(stream);
  node_.release(stream);
  node_key_.release(stream);
  spill_.release(stream);
  families_.release(stream);
  groups_.release(stream);
}

}  // namespace multiwalk
