// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots that are not of one run are refused, or warned of if only their motion tells.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "host/base/error.hpp"
#include "host/base/separation.hpp"
#include "run/trees/one_history.hpp"

namespace multiwalk {
namespace {

/// A lattice of 12^3 particles displaced by random waves of the seed, which grow with `growth`.
SnapshotInfo moment(double growth, unsigned seed) {
  constexpr double side = 60;
  constexpr int n = 12;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  SnapshotInfo info;
  info.particles = n * n * n;
  info.system.boundary = Boundary::periodic;
  info.system.box_size = side;
  info.system.time = growth;
  ParticleStore& p = info.system.particles;
  p.resize(info.particles);
  std::vector<Vec3d> way(info.particles);
  for (int wave = 0; wave < 40; ++wave) {
    const Vec3d direction{normal(random), normal(random), normal(random)},
        k{std::round(2 * normal(random)), std::round(2 * normal(random)), std::round(2 * normal(random))};
    const double phase = 6.28 * normal(random);
    for (int i = 0; i < n * n * n; ++i) {
      const Vec3d q{i % n * side / n, i / n % n * side / n, i / n / n * side / n};
      way[static_cast<std::size_t>(i)] += std::cos(2 * M_PI * dot(k, q) / side + phase) * direction;
    }
  }
  for (std::size_t i = 0; i < way.size(); ++i) {
    const auto at = static_cast<int>(i);
    const Vec3d q{at % n * side / n, at / n % n * side / n, at / n / n * side / n};
    p.position[i] = wrapped(q + growth * way[i], side);
    p.velocity[i] = Vec3f(100.0 * way[i]);
    p.mass[i] = 1;
    p.id[i] = i + 1;
  }
  return info;
}

std::string second_to(const SnapshotInfo& first, const SnapshotInfo& second) {
  OneHistory history;
  EXPECT_EQ(history.add(first, "a", {}), "");
  return history.add(second, "b", {});
}

TEST(OneHistory, SnapshotsOfARunFollowEachOther) {
  const SnapshotInfo early = moment(0.1, 1);
  EXPECT_EQ(second_to(early, moment(0.15, 1)), "");
  EXPECT_EQ(second_to(early, moment(0.9, 1)), "");
  SnapshotInfo rounded = moment(0.15, 1);
  rounded.system.box_size *= 1 + 1e-7;
  rounded.cosmology.omega_m *= 1 + 1e-7;
  EXPECT_EQ(second_to(early, rounded), "");
}

TEST(OneHistory, AnotherSeedIsWarnedOf) {
  for (const double later : {0.15, 0.9})
    EXPECT_NE(second_to(moment(0.1, 1), moment(later, 2)).find("a and b: between them particles have not moved"),
              std::string::npos)
        << later;
}

TEST(OneHistory, OtherBoxesCosmologiesAndParticlesAreRefused) {
  const std::pair<const char*, std::function<void(SnapshotInfo&)>> changes[] = {
      {"the box size is 60 and 61", [](SnapshotInfo& s) { s.system.box_size = 61; }},
      {"omega_m is 0.3111 and 0.3", [](SnapshotInfo& s) { s.cosmology.omega_m = 0.3; }},
      {"omega_lambda is", [](SnapshotInfo& s) { s.cosmology.omega_lambda = 0.7; }},
      {"h is 0.6766 and 0.7", [](SnapshotInfo& s) { s.cosmology.h = 0.7; }},
      {"w0 is -1 and -0.9", [](SnapshotInfo& s) { s.cosmology.w0 = -0.9; }},
      {"the number of particles is 1728 and 1727", [](SnapshotInfo& s) { s.particles = 1727; }},
      {"the boundary (1: periodic) is", [](SnapshotInfo& s) { s.system.boundary = Boundary::vacuum; }},
      {"their particles have different ids", [](SnapshotInfo& s) { s.system.particles.id[3] = 5000; }}};
  for (const auto& [words, change] : changes) {
    SnapshotInfo other = moment(0.15, 1);
    change(other);
    try {
      second_to(moment(0.1, 1), other);
      ADD_FAILURE() << "accepted: " << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string("a and b are not of one run: ") + words), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace multiwalk
