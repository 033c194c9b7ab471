// SPDX-License-Identifier: GPL-3.0-or-later
// A back end that grows trees itself, for tests without a GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "host/force/force_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "host/force/tree_grower.hpp"
#include "host/tree/octree.hpp"
#include "host/walk/group.hpp"
#include "host/walk/opening_radii.hpp"

namespace multiwalk::test {

/// The CPU back end, growing trees over a sorted copy as a GPU does: with moments of its own, which the host's copy
/// does not share.
class GrowingBackend final : public ForceBackend, public TreeGrower {
 public:
  int grown = 0;
  bool any_order = false;  ///< what deliver says
  double delivering = 0;   ///< seconds that it takes
  bool refuses_to_take = false, refuses_to_grow = false;
  int refusals = 0;                  ///< left: that many calls of take are refused
  int takes = 0;                     ///< calls of take
  DeviceWalker* walker = nullptr;    ///< that it offers
  ParticleKeeper* keeper = nullptr;  ///< that it offers

  GrowingBackend() : ForceBackend({.name = "growing", .description = "for tests", .preferred_group_size = 128}) {}

  [[nodiscard]] BackendServices services() override {
    return {.tree_grower = this, .device_walker = walker, .particle_keeper = keeper};
  }
  /// Other sources for the targets of a grown tree, or a tree of the host's.
  bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    targets_ = targets;
    return cpu_->begin(law, sources, targets.order.empty() ? targets : sorted_targets(targets), lanes);
  }

  std::optional<Box> take(const ParticleStore& particles, const GrowthTask& task, PhaseTimer& timer) override {
    timer.enter(Phase::transfer);
    ++takes;
    if (refuses_to_take) return std::nullopt;
    if (refusals > 0) {
      --refusals;
      return std::nullopt;
    }
    copy_ = particles;
    copy_.id.resize(particles.size());
    std::iota(copy_.id.begin(), copy_.id.end(), std::uint64_t{0});
    feed_ = task.feed;
    if (feed_ == nullptr) return bounding_box(copy_.position);
    in_pieces([&](std::size_t first, std::size_t count) {
      feed_->give_positions(first, std::span(copy_.position).subspan(first, count));
    });
    return feed_->end_positions();
  }
  std::optional<LocalTree> grow(const GrowthTask& task, const Cube& cube, PhaseTimer& timer) override {
    timer.enter(Phase::tree);
    const GravityOptions& options = task.walks.options;
    if (feed_ != nullptr) take_rest(options.relative());
    if (refuses_to_grow) return std::nullopt;
    ++grown;
    sort_by_key(copy_, cube);
    order_.assign(copy_.id.begin(), copy_.id.end());
    tree_ = build_octree(copy_, cube, {options.leaf_size});
    groups_ = make_groups(tree_.view(), task.group_size);
    make_opening_radii(tree_.view(), options, radius_);
    walk_.make(tree_.view(), radius_, options, task.walks.gravitational_constant);
    const auto node = tree_.view().node;
    const auto inner = std::ranges::count_if(node, [](const Node& n) { return !n.leaf(); });
    families_.assign(walk_.view().family, walk_.view().family + inner + 1);
    LocalTree result;
    result.walks = task.walks;
    result.walk = walk_.view();
    result.walk.family = families_.data();
    result.families = families_;
    result.groups = groups_;
    result.order = order_;
    if (options.relative()) {
      smallest_ = smallest_accelerations(tree_.view(), groups_, copy_.acceleration, task.walks.background);
      result.smallest = smallest_;
    }
    if (task.whole) {
      moments_.assign(tree_.multipole().begin(), tree_.multipole().end());
      result.tree = {cube, node, moments_, {}, {}, {}};
      result.multipole = moments_;
      result.radius = radius_;
    }
    return result;
  }
  bool begin_grown(const PairLaw& law, const ChangedMoments& changed, const TargetView& targets, int lanes) override {
    for (std::size_t k = 0; k < changed.node.size(); ++k) tree_.multipole()[changed.node[k]] = changed.multipole[k];
    targets_ = targets;
    return cpu_->begin(law, tree_.view(), sorted_targets(targets), lanes);
  }
  WalkBatch& open(int lane) override { return cpu_->open(lane); }
  void submit(int lane) override { cpu_->submit(lane); }
  bool deliver() override {
    std::this_thread::sleep_for(std::chrono::duration<double>(delivering));
    if (targets_.feed == nullptr || targets_.order.empty()) return any_order;
    in_pieces([&](std::size_t first, std::size_t count) {
      targets_.feed->take_results(first, given_.acceleration(first, count), given_.potential(first, count));
    });
    return true;
  }
  BackendTimes collect() override {
    const BackendTimes times = cpu_->collect();
    if (targets_.feed != nullptr && !targets_.order.empty()) {
      given_.resize(targets_.order.size());
      targets_.acceleration = given_.all_accelerations;
      targets_.potential = given_.all_potentials;
    }
    for (std::size_t place = 0; place < targets_.order.size(); ++place) {
      targets_.acceleration[targets_.order[place]] = copy_.acceleration[place];
      targets_.potential[targets_.order[place]] = copy_.potential[place];
    }
    return times;
  }

 private:
  /// Results in the order of the store.
  struct Results {
    std::vector<Vec3f> all_accelerations;
    std::vector<float> all_potentials;

    void resize(std::size_t n) {
      all_accelerations.resize(n);
      all_potentials.resize(n);
    }
    [[nodiscard]] std::span<const Vec3f> acceleration(std::size_t first, std::size_t count) const {
      return std::span(all_accelerations).subspan(first, count);
    }
    [[nodiscard]] std::span<const float> potential(std::size_t first, std::size_t count) const {
      return std::span(all_potentials).subspan(first, count);
    }
  };

  template <class Act>
  void in_pieces(const Act& act) const {
    constexpr std::size_t piece = 2 * ParticleFeed::part;
    for (std::size_t first = 0; first < copy_.size(); first += piece) {
      act(first, std::min(piece, copy_.size() - first));
    }
  }
  void take_rest(bool accelerations) {
    in_pieces([&](std::size_t first, std::size_t count) {
      feed_->give_masses(first, std::span(copy_.mass).subspan(first, count));
    });
    feed_->end_masses();
    if (!accelerations) return;
    in_pieces([&](std::size_t first, std::size_t count) {
      feed_->give_accelerations(first, std::span(copy_.acceleration).subspan(first, count));
    });
    feed_->end_accelerations();
  }
  TargetView sorted_targets(TargetView targets) {
    targets.position = copy_.position;
    targets.mass = copy_.mass;
    targets.acceleration = copy_.acceleration;
    targets.potential = copy_.potential;
    targets.order = {};
    return targets;
  }

  std::unique_ptr<ForceBackend> cpu_ = make_simd_backend();
  ParticleStore copy_;
  Octree tree_;
  std::vector<Group> groups_;
  std::vector<double> smallest_;
  std::vector<float> radius_;
  WalkFamilies walk_;
  std::vector<WalkFamily> families_;
  std::vector<Multipole> moments_;
  std::vector<std::uint32_t> order_;
  TargetView targets_;
  ParticleFeed* feed_ = nullptr;
  Results given_;
};

}  // namespace multiwalk::test
