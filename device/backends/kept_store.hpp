// SPDX-License-Identifier: GPL-3.0-or-later
// The particles of a store that the back end's only device keeps from one step to the next, in key order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/backends/device_set.hpp"
#include "device/backends/kept_sky.hpp"
#include "device/base/pinned_memory.hpp"
#include "device/particles/rung_kernels.cuh"
#include "host/force/particle_keeper.hpp"

namespace multiwalk {

/// Fewer particles are sorted, kicked and drifted faster by the host.
inline constexpr std::size_t least_on_device = 20000;

/// Particles that may pass, in page-locked memory.
struct PinnedPassing {
  PinnedBuffer<std::uint32_t> index;
  PinnedBuffer<Vec3d> position;
  PinnedBuffer<Vec3f> velocity;
  PassingParticles particles;

  void reserve(std::size_t n) {
    index.reserve(n);
    position.reserve(n);
    velocity.reserve(n);
    particles = {{index.data(), n}, {position.data(), n}, {velocity.data(), n}};
  }
};

class KeptStore final : public ParticleKeeper {
 public:
  explicit KeptStore(DeviceSet& devices)
      : devices_(devices),
        parts_(devices.first().memory),
        counts_(devices.first().memory),
        in_store_order_(devices.first().memory),
        searching_(devices.first().memory),
        sorting_(devices.first().memory),
        stray_count_(devices.first().memory) {}

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
  std::vector<std::uint32_t> bring_strays_home(const Box& domain) override;
  void follow_exchange(const StoreChange& change) override;
  void copy_home() override;
  void copy_motion_home() override;
  std::shared_ptr<const PassingParticles> find_passing(const Passage& passage) override;
  SkyCounter* sky_counter() override { return &sky_; }
  void forget() noexcept override;

  /// Keeps nothing any longer if this is not the store that is kept; its particles come home first.
  void make_way_for(const ParticleStore* other);
  /// The arrays of results are about to be freed.
  void results_go() { results_there_ = false; }
  /// Copies the particles home, leaves their positions and masses to the arrays of the evaluation, and forgets them.
  void leave_arrays();
  /// The results of an evaluation are there.
  void take_results();
  /// The accelerations of some particles have changed.
  void store_is_old() { at_home_ = false; }

 private:
  /// Bytes that keeping n particles takes.
  [[nodiscard]] static std::size_t bytes(std::size_t n, bool rungs);
  [[nodiscard]] bool fits(std::size_t n, bool rungs) const;
  [[nodiscard]] bool reserve(std::size_t n, bool rungs);
  void upload(const ParticleStore& particles);
  /// Room for an index per particle, between evaluations.
  [[nodiscard]] std::uint32_t* places() const { return devices_.first().tree.input().next_index.data(); }
  /// The kept particles; makes the device current, and the store is old from now on.
  [[nodiscard]] RungArrays moving();
  void release();
  /// Enqueues the copy of an array to the store, in the store's order; places() has the places of its elements.
  template <class T, class Array>
  void bring_home(const DeviceBuffer<T>& from, std::size_t n, Array& to);
  /// Brings home the n kept particles, which are the first n of the store.
  void copy_first_home(std::size_t n);
  /// Calls act(array on the device, array of the store) for what kicks, drifts, rungs and forces change.
  template <class Act>
  void for_each_changing(const Act& act) {
    StoreCopy& kept = devices_.first().tree.input();
    act(kept.position, store_->position);
    act(kept.velocity, store_->velocity);
    act(kept.acceleration, store_->acceleration);
    if (!kept.rungs) return;
    act(kept.long_range, store_->long_range);
    act(kept.rung, store_->rung);
  }
  /// Bytes of in_store_order_ for n particles.
  [[nodiscard]] static std::size_t bytes_in_order(std::size_t n);

  // kept_passing.cpp:
  /// Enqueues the marks of the particles that may pass, in places(). Returns the number of these particles.
  std::size_t mark_all_passing(const Passage& passage);
  /// Enqueues the copies of the passing particles at the places first ... first + count - 1 of the store to elements
  /// from `done` on. Returns their number.
  std::size_t fetch_passing(std::size_t first, std::size_t count, std::size_t done);

  // kept_strays.cpp:
  [[nodiscard]] bool reserve_search(std::size_t n);
  std::size_t find_strays(const Box& domain);
  void sort_by_index(std::size_t n);
  void fetch_strays(std::size_t first, std::size_t count);
  [[nodiscard]] bool make_room(const StoreChange& change);
  void place_arrivals(std::span<const std::uint32_t> index, std::span<const std::uint32_t> place);
  void close_up(std::span<const std::uint32_t> holes, const StoreChange& change);

  DeviceSet& devices_;
  DeviceBuffer<KickSums> parts_;
  PinnedBuffer<KickSums> total_;
  DeviceBuffer<RungCounts> counts_;
  PinnedBuffer<RungCounts> counted_;
  DeviceBuffer<std::byte> in_store_order_;  ///< particles on their way to the host, or from it
  DeviceBuffer<std::byte> searching_;       ///< for select_strays, sort_strays and select_passing
  DeviceBuffer<std::uint32_t> sorting_;
  DeviceBuffer<std::uint32_t> stray_count_;  ///< or of passing particles
  PinnedBuffer<std::byte> staged_;           ///< strays on their way
  std::shared_ptr<PinnedPassing> passing_;
  // Found last:
  std::vector<std::uint32_t> strays_;        ///< indices in the store, rising
  std::vector<std::uint32_t> stray_places_;  ///< on the device, rising
  ParticleStore* store_ = nullptr;           ///< null: nothing is kept
  std::size_t kept_bytes_ = 0;               ///< the most that has been kept
  bool at_home_ = true;                      ///< the store is up to date
  bool results_there_ = false;               ///< potentials of the present positions
  KeptSky sky_{devices_, *this, store_};
};

}  // namespace multiwalk
