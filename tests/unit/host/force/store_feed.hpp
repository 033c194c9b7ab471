// SPDX-License-Identifier: GPL-3.0-or-later
// A feed over the particles of a store, which checks how it is used.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "host/base/error.hpp"
#include "host/force/particle_feed.hpp"

namespace multiwalk::test {

/// The particles of a store, and results in its order.
class StoreFeed final : public ParticleFeed {
 public:
  explicit StoreFeed(const ParticleStore& particles) : from(particles), results(particles) {
    std::ranges::fill(results.acceleration, Vec3f{});
    std::ranges::fill(results.potential, 0.0F);
  }

  const ParticleStore& from;
  ParticleStore results;
  bool unusable_position = false, unusable_rest = false;
  std::size_t given = 0, rest_given = 0, taken = 0;

  [[nodiscard]] bool knows_accelerations() const override {
    return std::ranges::any_of(from.acceleration, [](Vec3f a) { return !(a == Vec3f{}); });
  }
  void give_positions(std::size_t first, std::span<Vec3d> position) override {
    EXPECT_EQ(first % part, 0U);
    given = first == 0 ? 0 : given;
    EXPECT_EQ(first, given);
    std::copy_n(from.position.begin() + static_cast<std::ptrdiff_t>(first), position.size(), position.begin());
    given += position.size();
  }
  Box end_positions() override {
    EXPECT_EQ(given, from.size());
    if (unusable_position) throw InputError("position");
    return bounding_box(from.position);
  }
  void give_rest(std::size_t first, std::span<float> mass, std::span<Vec3f> acceleration) override {
    rest_given = first == 0 ? 0 : rest_given;
    EXPECT_EQ(first, rest_given);
    const auto offset = static_cast<std::ptrdiff_t>(first);
    std::copy_n(from.mass.begin() + offset, mass.size(), mass.begin());
    std::copy_n(from.acceleration.begin() + offset, acceleration.size(), acceleration.begin());
    rest_given += mass.size();
  }
  void end_rest() override {
    EXPECT_EQ(rest_given, from.size());
    if (unusable_rest) throw InputError("rest");
  }
  void take_results(std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) override {
    EXPECT_EQ(first, taken);
    std::ranges::copy(acceleration, results.acceleration.begin() + static_cast<std::ptrdiff_t>(first));
    std::ranges::copy(potential, results.potential.begin() + static_cast<std::ptrdiff_t>(first));
    taken += acceleration.size();
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
