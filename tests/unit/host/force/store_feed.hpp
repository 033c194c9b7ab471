// SPDX-License-Identifier: GPL-3.0-or-later
// A feed over the particles of a store, which checks how it is used.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>

#include "host/base/error.hpp"
#include "host/force/particle_feed.hpp"

namespace multiwalk::test {

/// The particles of a store, and results in its order.
class StoreFeed : public ParticleFeed {
 public:
  explicit StoreFeed(const ParticleStore& particles) : from(particles), results(particles) {
    std::ranges::fill(results.acceleration, Vec3f{});
    std::ranges::fill(results.potential, 0.0F);
  }

  const ParticleStore& from;
  ParticleStore results;
  bool unusable_position = false, unusable_mass = false, unusable_acceleration = false;
  std::atomic<std::size_t> positions = 0, masses = 0, accelerations = 0;  ///< given since the last end_...
  std::atomic<std::size_t> taken = 0;

  [[nodiscard]] bool knows_accelerations() const override {
    return std::ranges::any_of(from.acceleration, [](Vec3f a) { return !(a == Vec3f{}); });
  }
  void give_positions(std::size_t first, std::span<Vec3d> position) override {
    give(from.position, first, position, positions);
  }
  Box end_positions() override {
    end(positions, unusable_position, "position");
    return bounding_box(from.position);
  }
  void give_masses(std::size_t first, std::span<float> mass) override { give(from.mass, first, mass, masses); }
  void end_masses() override { end(masses, unusable_mass, "mass"); }
  void give_accelerations(std::size_t first, std::span<Vec3f> acceleration) override {
    give(from.acceleration, first, acceleration, accelerations);
  }
  void end_accelerations() override { end(accelerations, unusable_acceleration, "acceleration"); }
  void take_results(std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) override {
    std::ranges::copy(acceleration, results.acceleration.begin() + static_cast<std::ptrdiff_t>(first));
    std::ranges::copy(potential, results.potential.begin() + static_cast<std::ptrdiff_t>(first));
    taken += acceleration.size();
  }

 private:
  template <class T>
  static void give(const ParticleArray<T>& array, std::size_t first, std::span<T> to, std::atomic<std::size_t>& given) {
    EXPECT_EQ(first % part, 0U);
    std::copy_n(array.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
    given += to.size();
  }
  void end(std::atomic<std::size_t>& given, bool unusable, const char* what) const {
    EXPECT_EQ(given.exchange(0), from.size()) << what;
    if (unusable) throw InputError(what);
  }
};

/// Arrays of n elements, none of which is a particle's; ids in order.
inline ParticleStore blank_store(std::size_t n) {
  ParticleStore store;
  store.resize(n);
  std::ranges::fill(store.position, Vec3d{std::nan(""), 0, 0});
  for (std::size_t i = 0; i < n; ++i) store.id[i] = i;
  return store;
}

}  // namespace multiwalk::test
