// SPDX-License-Identifier: GPL-3.0-or-later
// The particles of a store that the back end's only device keeps from one step to the next, in key order.
#pragma once

#include "device/backends/device_set.hpp"
#include "device/base/pinned_memory.hpp"
#include "device/particles/rung_kernels.cuh"
#include "host/force/particle_keeper.hpp"

namespace multiwalk {

/// Fewer particles are sorted, kicked and drifted faster by the host.
inline constexpr std::size_t least_on_device = 20000;

class KeptStore final : public ParticleKeeper {
 public:
  explicit KeptStore(DeviceSet& devices)
      : devices_(devices),
        parts_(devices.first().memory),
        counts_(devices.first().memory),
        inverse_(devices.first().memory),
        in_store_order_(devices.first().memory) {}

  bool keep(ParticleStore& particles) override;
  [[nodiscard]] bool keeps(const ParticleStore& particles) const override { return store_ == &particles; }
  void kick_and_drift(double kick_factor, double background, double drift_factor) override;
  KickSums kick_and_sum(double factor, double background) override;
  void drift(double factor) override;
  void wrap(double side) override;
  PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised) override;
  void kick_rungs(const PerRung<double>& factor, double background, int least) override;
  void kick_long_range(double factor) override;
  bool add_mesh_force(const PairLaw& law, const MeshForceOptions& options) override;
  std::optional<ShellSums> sum_shells(double box_size, const ShellOptions& options) override;
  void copy_home() override;
  void forget() noexcept override;

  /// Keeps nothing any longer if this is not the store that is kept; its particles come home first.
  void make_way_for(const ParticleStore* other);
  /// The arrays of results are about to be freed.
  void results_go() { results_there_ = false; }
  /// Makes room for follow(). False: the device is full.
  [[nodiscard]] bool prepare_to_follow(const Stream& stream);
  /// Enqueues the change of the kept particles to a new key order, which prepare_to_follow precedes. Positions and
  /// masses lie in that order in the arrays of the evaluation, and change places with the kept ones.
  void follow(const std::uint32_t* order);
  /// Returns positions and masses to the arrays of the evaluation, and forgets the particles after they came home.
  void leave_arrays();
  /// The present results become the accelerations of the kept particles.
  void take_results();
  /// The accelerations of some particles have changed.
  void store_is_old() { at_home_ = false; }

 private:
  [[nodiscard]] bool fits(std::size_t n, bool rungs) const;
  [[nodiscard]] bool reserve(std::size_t n, bool rungs);
  void upload(const ParticleStore& particles);
  /// The kept particles; makes the device current, and the store is old from now on.
  [[nodiscard]] RungArrays moving();
  void release();
  /// Enqueues the copy of an array to the store, in the store's order; inverse_ says where its elements are.
  template <class T, class Array>
  void bring_home(const DeviceBuffer<T>& from, Array& to);

  DeviceSet& devices_;
  DeviceBuffer<KickSums> parts_;
  PinnedBuffer<KickSums> total_;
  DeviceBuffer<RungCounts> counts_;
  PinnedBuffer<RungCounts> counted_;
  DeviceBuffer<std::uint32_t> inverse_;     ///< where each particle of the store is
  DeviceBuffer<std::byte> in_store_order_;  ///< a piece of an array on its way to the host
  ParticleStore* store_ = nullptr;          ///< null: nothing is kept
  bool at_home_ = true;                     ///< the store is up to date
  bool results_there_ = false;              ///< potentials of the present positions
};

}  // namespace multiwalk
