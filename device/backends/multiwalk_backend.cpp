// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/multiwalk_backend.hpp"

#include <algorithm>
#include <utility>

#include "device/backends/batch_slot.cuh"
#include "device/backends/busy_seconds.hpp"
#include "device/backends/tree_growth.hpp"
#include "device/base/choose_devices.hpp"
#include "device/base/pinned_particles.hpp"
#include "device/base/too_small.hpp"
#include "device/direct/exact_pulls.cuh"
#include "device/mesh/cufft_library.hpp"
#include "device/tree/node_moments.cuh"
#include "device/walk/walk_launch.cuh"
#include "host/force/backend_services.hpp"
#include "host/force/tree_grower.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t slots_per_lane = 3;  // one being filled, one evaluated, one queued
constexpr std::size_t most_slot_bytes = std::size_t{64} << 20;
constexpr std::size_t least_slot_bytes = std::size_t{64} << 10;

/// Batch slots of one device and the bytes they may take together.
struct SlotRoom {
  std::size_t slots = 0, bytes = 0;
};

/// The batches of one walking thread.
struct Lane {
  std::size_t device = 0;
  std::vector<BatchSlot> slots;
  std::size_t next = 0;
  LaneTimes times;
};

std::string description_of(const std::vector<DeviceDescription>& devices) {
  std::string text;
  for (const DeviceDescription& d : devices) {
    text += (text.empty() ? "" : " + ") + d.name + " (compute capability " + std::to_string(d.major) + "." +
            std::to_string(d.minor) + ", " + std::to_string(d.memory / 1'000'000'000) + " GB)";
  }
  return text;
}

/// The device walks for small groups; the host would not keep up.
BackendFacts facts_of(const std::vector<DeviceDescription>& devices, const CudaOptions& options) {
  return {.name = "cuda",
          .description = description_of(devices),
          .batch_entries = options.batch_entries,
          .preferred_group_size = options.device_walks ? 192U : 512U,
          .split_boxes = true,
          .expansions = true,
          .overlaps = true};
}

class MultiwalkBackend final : public ForceBackend,
                               private TreeGrower,
                               private DeviceWalker,
                               private MeshBackend,
                               private ExactPulls {
 public:
  MultiwalkBackend(const std::vector<DeviceDescription>& devices, const CudaOptions& options)
      : ForceBackend(facts_of(devices, options)), options_(options), devices_(devices, options.memory_limit) {}
  ~MultiwalkBackend() override { abandon(); }

  [[nodiscard]] BackendServices services() override;
  [[nodiscard]] std::size_t peak_device_memory() const override {
    std::size_t peak = 0;
    for (const auto& device : devices_) peak = std::max(peak, device->memory.peak());
    return peak;
  }

  void copy_rows(void* to, const void* from, std::size_t bytes, std::size_t stride, std::size_t rows) override {
    devices_.first().reader.copy_rows(to, from, bytes, stride, rows);
  }
  bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override;
  WalkBatch& open(int lane) override;
  void submit(int lane) override;
  void drain(int lane) override;
  BackendTimes collect() override;
  bool deliver() override;

 private:
  std::optional<Box> take(const ParticleStore& particles, const GrowthTask& task, PhaseTimer& timer) override;
  std::optional<LocalTree> grow(const GrowthTask& task, const Cube& cube, PhaseTimer& timer) override;
  bool begin_grown(const PairLaw& law, const ChangedMoments& changed, const TargetView& targets, int lanes) override;
  bool share_tree(TreeExchange& others, const WalkSettings& walks, bool resident) override;
  MadeWalks walk(const GroupWalks& task) override;
  std::optional<MadeWalks> walk_active(const ActiveWalks& task) override;
  void require_libraries(const MeshForceOptions& options) override {
    if (DeviceMesh::handles(options)) static_cast<void>(cufft_library());
  }
  bool add_mesh_force(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                      TreeExchange* others) override;
  bool add_exact_pulls(std::span<const Vec3d> position, std::span<const float> mass, const PairLaw& law,
                       std::span<const Vec3d> targets, std::span<Vec3d> sums) override {
    return multiwalk::add_exact_pulls(devices_.first().memory, position, mass, targets, law, sums);
  }

  /// Waits for all that was begun.
  void abandon() noexcept;
  void make_lanes(std::size_t lanes);
  void make_room(WalkDevice& device, const TreeView& sources, const TargetView& targets);
  void place_targets(const TreeView& sources);
  void release_slots();
  void upload(const PairLaw& law, const TreeView& sources);
  /// Makes room for the results of a grown tree's particles, if they can stay on the device until deliver.
  void keep_results(const PairLaw& law);
  void end_walks();
  /// Enqueues the change in the tree grown last.
  void change_moments(const ChangedMoments& changed);
  /// Shares out what the device has left over its slots.
  SlotRoom size_slots(WalkDevice& device) const;

  CudaOptions options_;
  DeviceSet devices_;
  KeptStore kept_{devices_};
  TreeGrowth growth_{devices_, kept_};
  std::vector<Lane> lanes_;
  TargetView targets_;
  bool targets_on_device_ = false;     ///< the present targets need no upload
  bool targets_were_sources_ = false;  ///< in the evaluation before
  bool results_stay_ = false;          ///< on the device, until deliver
  bool kept_taken_ = false;            ///< the particles taken last are kept
  bool fresh_tree_ = false;            ///< its particles are where they were when it was grown
  double walked_seconds_ = 0;          ///< that these took to be evaluated
};

BackendServices MultiwalkBackend::services() {
  BackendServices offered{.tree_grower = this, .mesh = this, .exact_pulls = this};
  if (devices_.size() > 1) return offered;
  offered.device_walker = options_.device_walks ? this : nullptr;
  offered.particle_keeper = &kept_;
  offered.sky_counter = &kept_.sky_counter();
  return offered;
}

void MultiwalkBackend::abandon() noexcept {
  for (Lane& lane : lanes_) {
    for (BatchSlot& slot : lane.slots) slot.abandon();
    lane.times = {};
  }
  // Arrays of the host may still be read.
  for (const auto& device : devices_) cudaStreamSynchronize(device->stream.get());
}

void MultiwalkBackend::make_lanes(std::size_t lanes) {
  while (lanes_.size() < lanes) {
    Lane lane;
    lane.device = lanes_.size() % devices_.size();
    for (std::size_t s = 0; s < slots_per_lane; ++s) {
      lane.slots.emplace_back(devices_[lane.device].memory, options_.batch_entries);
    }
    lanes_.push_back(std::move(lane));
  }
}

/// Finds the targets among what the devices hold from the previous evaluation, and lets large arrays keep their roles.
void MultiwalkBackend::place_targets(const TreeView& sources) {
  const bool shared = shared_arrays(sources, targets_);
  targets_on_device_ = !shared && targets_.unchanged;
  for (const auto& device : devices_) {
    ResidentArrays& arrays = device->arrays;
    const bool own_are_elsewhere = shared && arrays.target_position.capacity() > arrays.position.capacity();
    if (own_are_elsewhere || (targets_on_device_ && targets_were_sources_)) arrays.exchange_roles();
  }
  targets_were_sources_ = false;
}

void MultiwalkBackend::release_slots() {
  for (Lane& lane : lanes_) {
    for (BatchSlot& slot : lane.slots) slot.release();
  }
}

SlotRoom MultiwalkBackend::size_slots(WalkDevice& device) const {
  SlotRoom room;
  std::size_t held = 0;
  for (const Lane& lane : lanes_) {
    if (&devices_[lane.device] != &device) continue;
    for (const BatchSlot& slot : lane.slots) {
      ++room.slots;
      held += slot.device_bytes();
    }
  }
  room.bytes = device.memory.available() / 10 * 9 + held;
  device.slot_bytes = std::min(most_slot_bytes, room.slots == 0 ? most_slot_bytes : room.bytes / room.slots);
  return room;
}

void MultiwalkBackend::make_room(WalkDevice& device, const TreeView& sources, const TargetView& targets) {
  device.memory.make_current();
  bool fits = device.arrays.reserve(sources, targets, device.stream);
  if (!fits) {
    release_slots();
    fits = device.arrays.reserve(sources, targets, device.stream);
    if (!fits) device.arrays = ResidentArrays(device.memory);
  }
  const auto [slots, room] = size_slots(device);
  if (fits && device.slot_bytes >= least_slot_bytes) return;
  const std::size_t needed = resident_bytes(sources, targets) + slots * least_slot_bytes;
  throw too_small(device.memory, std::to_string(sources.position.size()) + " particles with " +
                                     std::to_string(sources.multipole.size()) + " tree nodes and " +
                                     std::to_string(lanes_.size()) + " threads need " + megabytes(needed) + ", " +
                                     megabytes(device.memory.used() + room) + " can be had");
}

void MultiwalkBackend::upload(const PairLaw& law, const TreeView& sources) {
  const bool shared = shared_arrays(sources, targets_);
  for (const auto& device : devices_) {
    device->memory.make_current();
    device->launch = walk_launch(device->arrays, law, shared, targets_.own_tree);
    device->epoch.record(device->stream);
  }
  devices_.upload(
      sources.position, [](WalkDevice & d) -> auto& { return d.arrays.position; });
  devices_.upload(
      sources.mass, [](WalkDevice & d) -> auto& { return d.arrays.mass; });
  devices_.upload(
      sources.multipole, [](WalkDevice & d) -> auto& { return d.arrays.multipole; });
  if (!shared && !targets_on_device_) {
    devices_.upload(
        targets_.position, [](WalkDevice & d) -> auto& { return d.arrays.target_position; });
    devices_.upload(
        targets_.mass, [](WalkDevice & d) -> auto& { return d.arrays.target_mass; });
  }
  for (const auto& device : devices_) {
    device->memory.make_current();
    device->uploaded.record(device->stream);
  }
}

bool MultiwalkBackend::begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) {
  require(lanes > 0, "a force evaluation needs at least one lane");
  abandon();
  growth_.end_resident_walks();
  kept_.make_way_for(nullptr);
  targets_ = targets;
  results_stay_ = results_stay_ && targets.unchanged;
  place_targets(sources);
  make_lanes(static_cast<std::size_t>(lanes));
  for (const auto& device : devices_) make_room(*device, sources, targets);
  upload(law, sources);
  targets_were_sources_ = shared_arrays(sources, targets_);
  return results_stay_;
}

std::optional<Box> MultiwalkBackend::take(const ParticleStore& particles, const GrowthTask& task, PhaseTimer& timer) {
  abandon();
  results_stay_ = false;
  growth_.end_resident_walks();
  kept_taken_ = kept_.keeps(particles);
  fresh_tree_ = true;
  return growth_.take(particles, task, timer);
}

std::optional<LocalTree> MultiwalkBackend::grow(const GrowthTask& task, const Cube& cube, PhaseTimer& timer) {
  return growth_.grow(task, cube, timer);
}

void MultiwalkBackend::change_moments(const ChangedMoments& changed) {
  const std::size_t count = changed.node.size();
  if (count == 0) return;
  for (const auto& device : devices_) {
    device->memory.make_current();
    if (device->arrays.reserve_changes(count, device->stream)) continue;
    release_slots();
    if (!device->arrays.reserve_changes(count, device->stream)) {
      throw too_small(device->memory, "it has no room for " + std::to_string(count) + " cells shared with other ranks");
    }
  }
  devices_.upload(
      changed.node, [](WalkDevice & d) -> auto& { return d.arrays.changed_node; });
  devices_.upload(
      changed.multipole, [](WalkDevice & d) -> auto& { return d.arrays.changed_multipole; });
  for (const auto& device : devices_) {
    device->memory.make_current();
    ResidentArrays& arrays = device->arrays;
    replace_moments(arrays.changed_node.data(), arrays.changed_multipole.data(), count, arrays.multipole.data(),
                    device->stream);
  }
}

/// Only for all particles on one device: results for some particles go to the host, which alone knows which these are.
void MultiwalkBackend::keep_results(const PairLaw& law) {
  WalkDevice& device = devices_.first();
  const bool wanted = devices_.size() == 1 && targets_.rung.empty();
  results_stay_ = wanted && device.reserve_results(targets_.position.size());
  if (results_stay_) return;
  device.arrays.release_results(device.stream);
  if (!kept_taken_) return;
  kept_.leave_arrays();
  device.launch = walk_launch(device.arrays, law, true, true);
  device.launch.large_groups = growth_.large_groups();
  kept_taken_ = false;
}

bool MultiwalkBackend::begin_grown(const PairLaw& law, const ChangedMoments& changed, const TargetView& targets,
                                   int lanes) {
  require(lanes > 0, "a force evaluation needs at least one lane");
  targets_ = targets;
  if (!growth_.resident()) make_lanes(static_cast<std::size_t>(lanes));
  for (const auto& device : devices_) {
    device->memory.make_current();
    device->launch = walk_launch(device->arrays, law, true, true);
    device->launch.large_groups = growth_.large_groups();
    if (kept_taken_) device->read_kept();
    device->epoch.record(device->stream);
  }
  keep_results(law);
  change_moments(changed);
  for (const auto& device : devices_) {
    device->memory.make_current();
    size_slots(*device);
    device->uploaded.record(device->stream);
  }
  targets_were_sources_ = true;
  return results_stay_;
}

bool MultiwalkBackend::share_tree(TreeExchange& others, const WalkSettings& walks, bool resident) {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  const bool shared = device.sharing(others, walks, resident ? &device.tree : nullptr, device.arrays, device.stream);
  if (!shared) growth_.end_resident_walks();
  return shared;
}

MadeWalks MultiwalkBackend::walk(const GroupWalks& task) {
  require(growth_.resident() && results_stay_, "the tree is not there for walks on the device");
  const MadeWalks made = devices_.first().walk(task, growth_.made(task.groups));
  walked_seconds_ = devices_.first().walks.seconds();
  end_walks();
  return made;
}

/// The tree of kept particles with rungs stays for the walks of the active ones.
void MultiwalkBackend::end_walks() {
  fresh_tree_ = false;
  if (!growth_.lasts()) growth_.end_resident_walks();
  WalkDevice& device = devices_.first();
  device.walks.release(device.stream);
}

std::optional<MadeWalks> MultiwalkBackend::walk_active(const ActiveWalks& task) {
  if (!growth_.lasts()) return std::nullopt;
  kept_.store_is_old();
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  device.epoch.record(device.stream);
  device.uploaded.record(device.stream);
  const MadeWalks made = device.walk_active(task, fresh_tree_, growth_.large_groups());
  walked_seconds_ = device.walks.seconds();
  end_walks();
  return made;
}

bool MultiwalkBackend::add_mesh_force(ParticleStore& particles, const PairLaw& law, const MeshForceOptions& options,
                                      TreeExchange* others) {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  kept_.make_way_for(&particles);
  if (kept_.keeps(particles)) return kept_.add_mesh_force(law, options, others);
  growth_.end_resident_walks();  // the mesh needs the room
  device.arrays.release(device.stream);
  return device.mesh(particles, law, options, others, device.stream);
}

WalkBatch& MultiwalkBackend::open(int lane_number) {
  Lane& lane = lanes_[static_cast<std::size_t>(lane_number)];
  BatchSlot& slot = lane.slots[lane.next];
  if (slot.in_flight()) slot.retire(targets_, devices_[lane.device].epoch, lane.times);
  slot.batch().clear();
  return slot.batch();
}

void MultiwalkBackend::submit(int lane_number) {
  Lane& lane = lanes_[static_cast<std::size_t>(lane_number)];
  BatchSlot& slot = lane.slots[lane.next];
  if (slot.batch().empty()) return;
  WalkDevice& device = devices_[lane.device];
  const StoreResults store = results_stay_ ? device.results(targets_.accumulate) : StoreResults{};
  slot.submit(device.launch, store, device.uploaded, device.slot_bytes, targets_.position.size());
  lane.next = (lane.next + 1) % lane.slots.size();
}

void MultiwalkBackend::drain(int lane_number) {
  Lane& lane = lanes_[static_cast<std::size_t>(lane_number)];
  for (std::size_t s = 0; s < lane.slots.size(); ++s) {
    BatchSlot& slot = lane.slots[(lane.next + s) % lane.slots.size()];
    if (slot.in_flight()) slot.retire(targets_, devices_[lane.device].epoch, lane.times);
  }
}

BackendTimes MultiwalkBackend::collect() {
  BackendTimes times;
  times.device = std::exchange(walked_seconds_, 0);
  std::vector<std::vector<BusyInterval>> busy(devices_.size());
  try {
    for (std::size_t l = 0; l < lanes_.size(); ++l) {
      drain(static_cast<int>(l));
      Lane& lane = lanes_[l];
      times.transfer += lane.times.transfer;
      times.wait += lane.times.wait;
      busy[lane.device].insert(busy[lane.device].end(), lane.times.busy.begin(), lane.times.busy.end());
      lane.times = {};
    }
  } catch (...) {
    abandon();
    throw;
  }
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    devices_[d].uploaded.synchronize();
    times.transfer += devices_[d].uploaded.seconds_since(devices_[d].epoch);
    times.device += union_seconds(std::move(busy[d]));
  }
  return times;
}

bool MultiwalkBackend::deliver() {
  if (!results_stay_) return false;
  results_stay_ = false;
  if (kept_taken_) {
    kept_.take_results();
  } else {
    devices_.first().copy_results(targets_);
  }
  return true;
}

}  // namespace

std::unique_ptr<ForceBackend> make_cuda_backend(const CudaOptions& options, std::string& why) {
  const std::vector<DeviceDescription> devices = choose_devices(options.devices, why);
  if (devices.empty()) return nullptr;
  pin_particles(devices[0].number);
  return std::make_unique<MultiwalkBackend>(devices, options);
}

}  // namespace multiwalk
