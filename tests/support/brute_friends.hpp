// SPDX-License-Identifier: GPL-3.0-or-later
// Friends of friends the slow way: every pair, no grid.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "analysis/halos/friends_of_friends.hpp"
#include "host/base/separation.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk::test {

/// (N) smallest id of each particle's group.
inline std::vector<std::uint64_t> group_of_each(const FriendGroups& groups) {
  std::vector<std::uint64_t> group(groups.size());
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = groups.group(i);
  return group;
}

/// As group_of_each, from all pairs.
inline std::vector<std::uint64_t> brute_friends(std::span<const Vec3d> position, std::span<const std::uint64_t> id,
                                                double length, double period) {
  std::vector<std::uint64_t> group(id.begin(), id.end());
  std::vector<std::vector<std::size_t>> friends(id.size());
  for (std::size_t i = 0; i < id.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (norm2(separation(position[i], position[j], period)) > length * length) continue;
      friends[i].push_back(j);
      friends[j].push_back(i);
    }
  }
  std::vector<std::size_t> open(id.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    for (const std::size_t j : friends[i]) {
      if (group[j] <= group[i]) continue;
      group[j] = group[i];
      open.push_back(j);
    }
  }
  return group;
}

/// Half of the particles uniform in the cube of side `side`, half in Gaussian clumps of all sizes, one of them about
/// the cube's corner, wrapped into it. Ids in no order; masses equal if `equal`.
inline ParticleStore clumpy_box(std::size_t n, double side, std::uint64_t seed, bool equal = true) {
  ParticleStore store;
  store.resize(n);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, side);
  std::normal_distribution<double> normal;
  Vec3d centre{0, 0, 0};
  double width = 0.02 * side;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 97 == 96) {
      centre = {uniform(random), uniform(random), uniform(random)};
      width = uniform(random) * 0.03;
    }
    const Vec3d offset{normal(random), normal(random), normal(random)};
    store.position[i] =
        i % 2 == 0 ? Vec3d{uniform(random), uniform(random), uniform(random)} : wrapped(centre + width * offset, side);
    store.velocity[i] = {static_cast<float>(100 * normal(random)), static_cast<float>(100 * normal(random)), 7};
    store.mass[i] = equal ? 1.0F : static_cast<float>(0.5 + uniform(random) / side);
    store.id[i] = (i * 7919) % n;
  }
  return store;
}

}  // namespace multiwalk::test
