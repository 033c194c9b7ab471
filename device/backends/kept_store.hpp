// SPDX-License-Identifier: GPL-3.0-or-later
// The particles of a store that the back end's only device keeps from one step to the next, in key order.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/backends/device_set.hpp"
#include "device/backends/kept_sky.hpp"
#include "device/base/peer_memory.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/particles/rung_kernels.cuh"
#include "device/particles/strays.cuh"
#include "host/force/force_backend.hpp"
#include "host/force/particle_keeper.hpp"
#include "host/gravity/pair_law.hpp"
#include "host/mesh/mesh_force_options.hpp"

namespace multiwalk {

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
        stray_count_(devices.first().memory),
        cuts_(devices.first().memory),
        outgoing_(devices.first().memory) {}

  bool keep(ParticleStore& particles) override;
  [[nodiscard]] bool keeps(const ParticleStore& particles) const override { return store_ == &particles; }
  void copy_home(Copied what) override;
  void forget() noexcept override;
  void move(const Motion& motion) override;
  KickSums kick_and_sum(double factor, double background) override;
  PerRung<std::uint64_t> assign_rungs(const RungCriterion& criterion, double background, int synchronised) override;
  std::optional<ShellSums> sum_shells(double box_size, const ShellOptions& options, TreeExchange* others) override;
  std::shared_ptr<const PassingParticles> find_passing(const Passage& passage) override;
  PackedStrays pack_strays(const Box& domain, const DomainCuts& cuts, bool shared) override;
  bool open_strays(std::span<const StrayAddress> addresses, std::size_t rank) override;
  StrayMessages strays_through_host(std::size_t arriving) override;
  void follow_exchange(const StoreChange& change, std::span<const StrayBlock> blocks) override;

  /// As MeshBackend's, for the kept particles.
  bool add_mesh_force(const PairLaw& law, const MeshForceOptions& options, TreeExchange* others);
  /// Counts their crossings in maps that remain when nothing is kept any longer.
  [[nodiscard]] SkyCounter& sky_counter() { return sky_; }
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
  /// The same, but only their positions and velocities.
  void copy_motion_home(std::size_t n);
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
  /// Where the lists of strays lie in sorting_.
  struct StrayLists {
    std::uint32_t *index, *index_by_rank, *first, *place, *owner, *owner_by_rank, *place_by_rank;
  };
  [[nodiscard]] StrayLists lists() const;
  [[nodiscard]] StrayArrays stray_arrays();
  [[nodiscard]] bool reserve_search(std::size_t n);
  [[nodiscard]] std::size_t find_strays(const Box& domain);
  [[nodiscard]] bool reserve_lists(const DomainCuts& cuts);
  void sort(const StrayOrder& order);
  [[nodiscard]] DomainCuts upload(const DomainCuts& cuts);
  void make_lists(const DomainCuts& cuts);
  [[nodiscard]] PackedStray* reserve_shared(bool shared);
  void pack_through_host();
  [[nodiscard]] std::size_t most_packed() const { return in_store_order_.capacity() / sizeof(PackedStray); }
  [[nodiscard]] bool make_room(const StoreChange& change);
  void place_arrivals(const StoreChange& change, std::size_t taken, std::span<const StrayBlock> blocks);
  void bring_arrivals_home(const StoreChange& change, std::size_t first, std::span<const StrayBlock> blocks);
  void copy_arrivals(std::span<const StrayBlock> blocks, std::size_t first, std::size_t count, PackedStray* to);
  void close_up(std::span<const std::uint32_t> holes, const StoreChange& change);

  DeviceSet& devices_;
  DeviceBuffer<KickSums> parts_;
  PinnedBuffer<KickSums> total_;
  DeviceBuffer<RungCounts> counts_;
  PinnedBuffer<RungCounts> counted_;
  DeviceBuffer<std::byte> in_store_order_;   ///< particles on their way to the host, or from it
  DeviceBuffer<std::byte> searching_;        ///< for select_strays, sort_strays and select_passing
  DeviceBuffer<std::uint32_t> sorting_;      ///< StrayLists
  DeviceBuffer<std::uint32_t> stray_count_;  ///< or of passing particles
  DeviceBuffer<double> cuts_;
  PeerBuffer outgoing_;                   ///< two halves: strays packed last, and those packed before
  std::vector<OpenedPeer> peer_;          ///< (ranks)
  std::vector<const std::byte*> opened_;  ///< (ranks) what other ranks have packed
  PinnedBuffer<std::byte> leaving_, arriving_;
  PinnedBuffer<std::uint32_t> lists_;  ///< index, by_rank, places and first of PackedStrays
  std::shared_ptr<PinnedPassing> passing_;
  // The strays packed last:
  std::size_t strays_ = 0, ranks_ = 1;
  PackedStray* packed_ = nullptr;  ///< in outgoing_; null: in leaving_
  std::size_t half_ = 0;           ///< bytes of a half of outgoing_
  bool second_half_ = false;
  ParticleStore* store_ = nullptr;  ///< null: nothing is kept
  std::size_t kept_bytes_ = 0;      ///< the most that has been kept
  bool at_home_ = true;             ///< the store is up to date
  bool results_there_ = false;      ///< potentials of the present positions
  KeptSky sky_{devices_, *this, store_};
};

}  // namespace multiwalk
