// SPDX-License-Identifier: GPL-3.0-or-later
// Small particle sets for tests, made here so that tests of host/ need nothing else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "host/particles/particle_store.hpp"

namespace multiwalk::test {

/// Plummer sphere (scale radius 3 pi/16, cut at 99.9 % of the mass), at rest, total mass 1.
inline ParticleStore plummer(std::size_t n, std::uint64_t seed = 1) {
  ParticleStore store;
  store.resize(n);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double enclosed = 0.999 * (1 - uniform(engine));
    const double r = 3 * std::numbers::pi / 16 / std::sqrt(std::pow(enclosed, -2.0 / 3) - 1);
    const double z = 2 * uniform(engine) - 1;
    const double phi = 2 * std::numbers::pi * uniform(engine);
    const double rho = std::sqrt(1 - z * z);
    store.position[i] = {r * rho * std::cos(phi), r * rho * std::sin(phi), r * z};
    store.mass[i] = static_cast<float>(1.0 / static_cast<double>(n));
    store.id[i] = i;
  }
  return store;
}

/// Uniform in the unit cube, masses between 0.5/n and 1.5/n.
inline ParticleStore uniform_cube(std::size_t n, std::uint64_t seed = 1) {
  ParticleStore store;
  store.resize(n);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < n; ++i) {
    store.position[i] = {uniform(engine), uniform(engine), uniform(engine)};
    store.mass[i] = static_cast<float>((0.5 + uniform(engine)) / static_cast<double>(n));
    store.id[i] = i;
  }
  return store;
}

/// |sum of mass times acceleration| over the sum of magnitudes.
inline double net_force(std::span<const Vec3f> acceleration, std::span<const float> mass) {
  Vec3d sum;
  double size = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const Vec3d force = static_cast<Vec3d>(acceleration[i]) * static_cast<double>(mass[i]);
    sum += force;
    size += norm(force);
  }
  return norm(sum) / size;
}

/// The particles i for which keep(i) holds, in their order.
template <class Keep>
ParticleStore kept(ParticleStore store, Keep keep) {
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    if (!keep(i)) others.push_back(i);
  }
  store.remove(others);
  return store;
}

/// The store in the order of its ids.
inline ParticleStore in_order_of_ids(ParticleStore store) {
  std::vector<std::uint32_t> order(store.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return store.id[i]; });
  store.reorder(order);
  return store;
}

}  // namespace multiwalk::test
