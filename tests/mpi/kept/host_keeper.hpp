// SPDX-License-Identifier: GPL-3.0-or-later
// A keeper in host memory, for tests without a GPU. What is out of date in the store is NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/base/error.hpp"
#include "host/time/leapfrog.hpp"
#include "tests/support/no_keeper.hpp"
#include "tests/support/sky/passing_on_host.hpp"

namespace multiwalk::test {

class HostKeeper final : public NoKeeper {
 public:
  bool refuses = false;
  bool finds_passing = true;
  int times_kept = 0;
  std::uint64_t strays = 0;  ///< found so far

  bool keep(ParticleStore& particles) override {
    if (keeps(particles)) return true;
    require(store_ == nullptr, "for one store at a time");
    if (refuses) return false;
    ++times_kept;
    store_ = &particles;
    kept_ = particles;
    return true;
  }
  [[nodiscard]] bool keeps(const ParticleStore& particles) const override { return store_ == &particles; }
  void kick_and_drift(double kick, double background, double factor) override {
    poison();
    multiwalk::kick_and_drift(kept_, kick, background, factor);
  }
  void drift(double factor) override {
    poison();
    multiwalk::drift(kept_, factor);
  }

  std::vector<std::uint32_t> bring_strays_home(const Box& domain) override {
    found_.clear();
    for (std::uint32_t i = 0; i < kept_.size(); ++i) {
      if (lies_in(domain, kept_.position[i])) continue;
      found_.push_back(i);
      copy_element(kept_, i, *store_, i);
    }
    strays += found_.size();
    return found_;
  }
  void follow_exchange(const StoreChange& change) override {
    require(change.left == found_, "others than the strays have left");
    require(change.before == kept_.size() && change.after == store_->size(), "wrong numbers of particles");
    for (std::size_t k = 0; k < change.moved_from.size(); ++k) {
      move_element(change.moved_from[k], change.moved_to[k]);
    }
    kept_.resize(change.after);
    for (const std::uint32_t i : change.arrived) {
      kept_.mass[i] = store_->mass[i];
      kept_.id[i] = store_->id[i];
      kept_.key[i] = store_->key[i];
      copy_element(*store_, i, kept_, i);
    }
    found_.clear();
    poison();
  }
  void copy_home() override {
    require(kept_.id == store_->id && kept_.mass == store_->mass && kept_.key == store_->key,
            "the keeper has other particles than the store");
    for (std::size_t i = 0; i < kept_.size(); ++i) copy_element(kept_, i, *store_, i);
  }
  void copy_motion_home() override {
    store_->position = kept_.position;
    store_->velocity = kept_.velocity;
  }
  std::shared_ptr<const PassingParticles> find_passing(const Passage& passage) override {
    return finds_passing ? passing_on_host(passage, kept_) : nullptr;
  }
  void forget() noexcept override { store_ = nullptr; }

 private:
  /// What changes while the particles are kept.
  static void copy_element(const ParticleStore& from, std::size_t i, ParticleStore& to, std::size_t j) {
    to.position[j] = from.position[i];
    to.velocity[j] = from.velocity[i];
    to.acceleration[j] = from.acceleration[i];
    to.potential[j] = from.potential[i];
    to.work[j] = from.work[i];
    if (!from.has_rungs()) return;
    to.long_range[j] = from.long_range[i];
    to.rung[j] = from.rung[i];
  }

  void move_element(std::size_t from, std::size_t to) {
    kept_.for_each_array([&](const char*, auto& values) { values[to] = values[from]; });
  }

  void poison() {
    const Vec3f bad{NAN, NAN, NAN};
    std::ranges::fill(store_->position, Vec3d{NAN, NAN, NAN});
    std::ranges::fill(store_->velocity, bad);
    std::ranges::fill(store_->acceleration, bad);
    std::ranges::fill(store_->potential, NAN);
    std::ranges::fill(store_->work, NAN);
    std::ranges::fill(store_->long_range, bad);
    std::ranges::fill(store_->rung, std::uint8_t{255});
  }

  ParticleStore* store_ = nullptr;
  ParticleStore kept_;
  std::vector<std::uint32_t> found_;
};

}  // namespace multiwalk::test
