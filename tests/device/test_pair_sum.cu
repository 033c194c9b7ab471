// SPDX-License-Identifier: GPL-3.0-or-later
// Pair interactions other than gravity on the device, against plain loops on the host in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "device/direct/device_pair_sum.cuh"
#include "run/examples/pairs/lennard_jones.hpp"
#include "run/examples/pairs/sph_density.hpp"

namespace multiwalk::device_test {
namespace {

bool no_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
}

template <class Record>
double number(const Record& record, std::size_t c) {
  return reinterpret_cast<const double*>(&record)[c];
}

/// Every number of every sum within `tolerance` of the largest such number.
template <class Pair, class Targets, class Sources>
void expect_host_sums(const Pair& pair, const Targets& targets, const Sources& sources, double tolerance) {
  using Sum = typename Pair::template Sum<double>;
  using Target = typename Pair::template Target<double>;
  using Source = typename Pair::template Source<double>;
  constexpr std::size_t values = sizeof(Sum) / sizeof(double);
  std::vector<Sum> mixed(targets.size()), full(targets.size()), exact(targets.size());
  std::vector<Target> exact_targets(targets.begin(), targets.end());
  std::vector<Source> exact_sources(sources.begin(), sources.end());
  std::vector<typename Pair::template Target<float>> single_targets(targets.size());
  std::vector<typename Pair::template Source<float>> single_sources(sources.size());
  const auto round = [](const auto& from, auto& to) {
    for (std::size_t c = 0; c < sizeof(from) / sizeof(double); ++c) {
      reinterpret_cast<float*>(&to)[c] = static_cast<float>(number(from, c));
    }
  };
  for (std::size_t i = 0; i < targets.size(); ++i) round(targets[i], single_targets[i]);
  for (std::size_t j = 0; j < sources.size(); ++j) round(sources[j], single_sources[j]);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (const Source& source : exact_sources) pair(exact_targets[i], source, exact[i]);
  }
  pair_sum_on_device<float, Accumulation::mixed>(
      pair, std::span<const typename Pair::template Target<float>>(single_targets),
      std::span<const typename Pair::template Source<float>>(single_sources), std::span<Sum>(mixed));
  pair_sum_on_device<double, Accumulation::full>(pair, std::span<const Target>(exact_targets),
                                                 std::span<const Source>(exact_sources), std::span<Sum>(full));
  for (std::size_t c = 0; c < values; ++c) {
    double largest = 0;
    for (const Sum& sum : exact) largest = std::max(largest, std::fabs(number(sum, c)));
    ASSERT_GT(largest, 0);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      EXPECT_NEAR(number(mixed[i], c), number(exact[i], c), tolerance * largest) << i;
      EXPECT_NEAR(number(full[i], c), number(exact[i], c), 1e-12 * largest) << i;
    }
  }
}

/// A jittered lattice of side^3 places, one apart.
std::vector<Vec3d> lattice(int side) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> jitter(-0.1, 0.1);
  std::vector<Vec3d> places;
  for (int i = 0; i < side * side * side; ++i) {
    places.push_back({i % side + jitter(random), i / side % side + jitter(random), i / (side * side) + jitter(random)});
  }
  return places;
}

TEST(PairSumOnDevice, LennardJones) {
  if (no_device()) GTEST_SKIP() << "no CUDA device";
  std::vector<LennardJonesPair::Target<double>> atoms;
  for (const Vec3d& place : lattice(11)) atoms.push_back({place});
  expect_host_sums(LennardJonesPair{1.5, 0.9, 2.5}, atoms, atoms, 1e-4);
}

TEST(PairSumOnDevice, SphDensity) {
  if (no_device()) GTEST_SKIP() << "no CUDA device";
  std::vector<SphDensityPair::Source<double>> gas;
  std::vector<SphDensityPair::Target<double>> places;
  for (const Vec3d& place : lattice(12)) {
    gas.push_back({place, 0.5});
    if (places.size() < 300) places.push_back({place, 1 / 1.3});
  }
  expect_host_sums(SphDensityPair{}, places, gas, 1e-5);
}

}  // namespace
}  // namespace multiwalk::device_test
