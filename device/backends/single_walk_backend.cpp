// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/single_walk_backend.hpp"

#include <algorithm>
#include <array>

#include "device/base/pinned_memory.hpp"
#include "device/base/resident_arrays.cuh"
#include "device/base/upload.cuh"
#include "device/walk/single_walk_kernels.cuh"
#include "device/walk/walk_launch.cuh"
#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t least_part = 64;                          // sources that are worth a block
constexpr std::size_t most_partial = std::size_t{1} << 22;      // partial forces of one walk
constexpr std::size_t expected_entries = std::size_t{1} << 15;  // of one walk

/// Reserves room for `count` elements and some more, since lists vary.
template <class T>
void make_list_room(DeviceBuffer<T>& buffer, std::size_t count, const Stream& stream) {
  if (buffer.reserve_growing(count, count / 2, stream)) return;
  throw InputError(
      "the CUDA device is too small for the lists of a walk: use a larger theta, smaller groups, fewer "
      "particles or --backend cpu");
}

/// Stream and memory with which one thread evaluates its walks.
struct SingleWalkLane {
  Stream stream;
  WalkBatch batch{pinned_memory()};
  std::pmr::vector<float4> received{pinned_memory()};
  DeviceBuffer<std::uint32_t> cell;
  DeviceBuffer<ParticleRange> range;
  DeviceBuffer<float4> result, partial;
  double seconds = 0;

  explicit SingleWalkLane(DeviceMemory& memory) : cell(memory), range(memory), result(memory), partial(memory) {
    batch.cells.reserve(expected_entries);
    batch.ranges.reserve(expected_entries);
    received.reserve(expected_entries);
  }

  template <class T>
  const T* send(DeviceBuffer<T>& to, const T* from, std::size_t count) {
    make_list_room(to, count, stream);
    if (count > 0) {
      check_cuda(cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
                 "cudaMemcpyAsync");
    }
    return to.data();
  }
};

class SingleWalkBackend final : public ForceBackend {
 public:
  SingleWalkBackend(SingleWalk strategy, DeviceDescription device, std::size_t memory_limit)
      : strategy_(strategy),
        device_(std::move(device)),
        memory_((check_cuda(cudaSetDevice(device_.number), "cudaSetDevice"), device_.number), memory_limit),
        uploader_(std::array{device_.number}),
        arrays_(memory_) {}

  [[nodiscard]] std::string_view name() const override {
    return strategy_ == SingleWalk::i_parallel ? "cuda-i" : "cuda-j";
  }
  [[nodiscard]] std::string description() const override { return device_.name + ", one walk per launch"; }
  [[nodiscard]] std::size_t batch_entries() const override { return 1; }
  [[nodiscard]] std::uint32_t preferred_group_size() const override { return 512; }

  void begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override;
  WalkBatch& open(int lane) override { return lanes_[static_cast<std::size_t>(lane)].batch; }
  void submit(int lane) override;
  BackendTimes collect() override;

 private:
  template <class T>
  void upload(std::span<const T> from, DeviceBuffer<T>& to);
  [[nodiscard]] std::uint32_t parts_of(const Walk& walk) const;
  void evaluate(SingleWalkLane& lane, const Walk& walk) const;
  void store(const SingleWalkLane& lane, const Walk& walk) const;

  SingleWalk strategy_;
  DeviceDescription device_;
  DeviceMemory memory_;
  Uploader uploader_;
  Stream stream_;
  Event uploaded_;
  ResidentArrays arrays_;
  WalkLaunch launch_;
  TargetView targets_;
  std::vector<SingleWalkLane> lanes_;
};

template <class T>
void SingleWalkBackend::upload(std::span<const T> from, DeviceBuffer<T>& to) {
  void* const destination = to.data();
  const Stream* const stream = &stream_;
  uploader_.copy(from.data(), from.size_bytes(), {&destination, 1}, {&stream, 1});
}

void SingleWalkBackend::begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) {
  memory_.make_current();
  targets_ = targets;
  while (lanes_.size() < static_cast<std::size_t>(lanes)) lanes_.emplace_back(memory_);
  for (SingleWalkLane& lane : lanes_) {
    lane.batch.clear();
    lane.seconds = 0;
  }
  if (!arrays_.reserve(sources, targets, stream_)) {
    throw InputError("CUDA device " + std::to_string(device_.number) + " is too small for " +
                     std::to_string(sources.position.size()) + " particles: use fewer or --backend cpu");
  }
  const bool shared = shared_arrays(sources, targets);
  launch_ = walk_launch(arrays_, law, shared, targets.own_tree);
  upload(sources.position, arrays_.position);
  upload(sources.mass, arrays_.mass);
  upload(sources.multipole, arrays_.multipole);
  if (!shared) {
    upload(targets.position, arrays_.target_position);
    upload(targets.mass, arrays_.target_mass);
  }
  uploaded_.record(stream_);
  uploaded_.synchronize();
}

/// As many as fill the device twice, if there are enough sources.
std::uint32_t SingleWalkBackend::parts_of(const Walk& walk) const {
  if (strategy_ == SingleWalk::i_parallel) return 1;
  const std::size_t sources = std::size_t{walk.cell_count} + walk.source_count;
  const std::size_t most =
      std::min(2 * static_cast<std::size_t>(device_.multiprocessors), most_partial / walk.target_count);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(sources / least_part, 1, std::max<std::size_t>(1, most)));
}

void SingleWalkBackend::submit(int lane_number) {
  SingleWalkLane& lane = lanes_[static_cast<std::size_t>(lane_number)];
  const double start = wall_time();
  memory_.make_current();
  for (const Walk& walk : lane.batch.walks) {
    require(std::size_t{walk.target_first} + walk.target_count <= targets_.position.size(),
            "a walk's targets do not exist");
    require(std::size_t{walk.cell_first} + walk.cell_count <= lane.batch.cells.size() &&
                std::size_t{walk.range_first} + walk.range_count <= lane.batch.ranges.size(),
            "a walk's lists are not in its batch");
    if (walk.target_count == 0) continue;
    evaluate(lane, walk);
    store(lane, walk);
  }
  lane.batch.clear();
  lane.seconds += wall_time() - start;
}

void SingleWalkBackend::evaluate(SingleWalkLane& lane, const Walk& walk) const {
  SingleWalkLaunch launch{launch_, walk, parts_of(walk)};
  launch.arrays.cell = lane.send(lane.cell, lane.batch.cells.data() + walk.cell_first, walk.cell_count);
  launch.arrays.range = lane.send(lane.range, lane.batch.ranges.data() + walk.range_first, walk.range_count);
  make_list_room(lane.result, walk.target_count, lane.stream);
  if (launch.parts > 1) make_list_room(lane.partial, std::size_t{launch.parts} * walk.target_count, lane.stream);
  launch.arrays.result = lane.result.data();
  launch.partial = lane.partial.data();
  launch_single_walk(launch, lane.stream.get());
  lane.received.resize(walk.target_count);
  check_cuda(cudaMemcpyAsync(lane.received.data(), lane.result.data(), walk.target_count * sizeof(float4),
                             cudaMemcpyDeviceToHost, lane.stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(lane.stream.get()), "cudaStreamSynchronize");
}

void SingleWalkBackend::store(const SingleWalkLane& lane, const Walk& walk) const {
  for (std::uint32_t i = 0; i < walk.target_count; ++i) {
    Vec3f& acceleration = targets_.acceleration[walk.target_first + i];
    float& potential = targets_.potential[walk.target_first + i];
    const float4& force = lane.received[i];
    const Vec3f pull{force.x, force.y, force.z};
    acceleration = targets_.accumulate ? acceleration + pull : pull;
    potential = targets_.accumulate ? potential + force.w : force.w;
  }
}

BackendTimes SingleWalkBackend::collect() {
  BackendTimes times;
  for (const SingleWalkLane& lane : lanes_) times.device += lane.seconds;
  return times;
}

}  // namespace

std::unique_ptr<ForceBackend> make_single_walk_backend(SingleWalk strategy, const CudaOptions& options,
                                                       std::string& why) {
  if (options.devices.size() > 1) throw InputError("cuda-i and cuda-j work on one device: name one with run.devices");
  const std::vector<DeviceDescription> found = find_devices(why, options.devices);
  const auto wanted = [&](const DeviceDescription& device) {
    return options.devices.empty() ? device.fault.empty() : device.number == options.devices.front();
  };
  const auto device = std::find_if(found.begin(), found.end(), wanted);
  if (!options.devices.empty() && (device == found.end() || !device->fault.empty())) {
    throw InputError("run.devices: CUDA device " + std::to_string(options.devices.front()) + " does not work: " +
                     (device == found.end() ? (found.empty() ? why : "there is no such device") : device->fault));
  }
  if (device == found.end()) {
    if (!found.empty()) why = found.front().fault;
    return nullptr;
  }
  why = device->name + " (device " + std::to_string(device->number) + ") ran a test kernel";
  return std::make_unique<SingleWalkBackend>(strategy, *device, options.memory_limit);
}

}  // namespace multiwalk
