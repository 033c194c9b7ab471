// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/resident_walks.cuh"

#include <string>
#include <vector>

#include "device/base/too_small.hpp"

namespace multiwalk {

namespace {

template <class T>
bool upload(DeviceBuffer<T>& to, std::span<const T> from, const Stream& stream) {
  if (!to.reserve(from.size(), stream)) return false;
  check_cuda(cudaMemcpyAsync(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
             "cudaMemcpyAsync");
  return true;
}

}  // namespace

void ResidentWalks::release(const Stream& stream) {
  lists_.release(stream);
  group_.release(stream);
  smallest_pull_.release(stream);
}

void ResidentWalks::replace_groups(const GroupWalks& task, ResidentTree& tree, const Stream& stream) {
  const std::vector<float> smallest(task.smallest.begin(), task.smallest.end());
  if (!upload(group_, task.groups, stream) || !upload(smallest_pull_, std::span(smallest), stream)) {
    throw too_small(*memory_, "it has no room for " + std::to_string(task.groups.size()) + " groups");
  }
  check_cuda(cudaStreamSynchronize(stream.get()), "copying groups to the device");
  tree.group = group_.data();
  tree.groups = static_cast<std::uint32_t>(task.groups.size());
  tree.smallest_pull = smallest.empty() ? nullptr : smallest_pull_.data();
}

MadeWalks ResidentWalks::walk(const GroupWalks& task, const ResidentTree& tree, const WalkLaunch& common,
                              const StoreResults& store, const Stream& stream) {
  const WalkSettings& walks = task.walks;
  const ListTask lists{tree.tree,          tree.group,    tree.smallest_pull, tree.run,       tree.foreign.family,
                       tree.foreign.count, walks.options, walks.cutoff,       walks.expansion};
  begun_.record(stream);
  lists_.begin(lists, tree.groups, tree.particles, stream);
  while (!lists_.done()) {
    const ListChunk chunk = lists_.make_next(stream);
    WalkLaunch launch = common;
    launch.walk = chunk.walk;
    launch.cell = chunk.cell;
    launch.range = chunk.range;
    launch.result = chunk.result;
    launch.walk_count = chunk.walks;
    launch_walks(launch, stream.get());
    store_results(launch, store, stream.get());
    lists_.finish_chunk(stream);
  }
  ended_.record(stream);
  ended_.synchronize();
  seconds_ = ended_.seconds_since(begun_) - lists_.seconds();
  return {lists_.count(), lists_.seconds()};
}

}  // namespace multiwalk
