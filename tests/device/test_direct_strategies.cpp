// SPDX-License-Identifier: GPL-3.0-or-later
// Every strategy of direct summation on the device against the scalar double-precision loop, and the rates of copies.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "device/base/copy_rates.hpp"
#include "device/base/devices.hpp"
#include "device/direct/strategies.hpp"
#include "host/base/error.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk::device_test {
namespace {

/// -1: none.
int first_device() {
  std::string why;
  for (const DeviceDescription& device : find_devices(why)) {
    if (device.fault.empty()) return device.number;
  }
  return -1;
}

/// Bodies about (3, 0, 0).
struct Cloud {
  std::vector<Vec3d> position;
  std::vector<double> mass;

  explicit Cloud(std::size_t n) : position(n), mass(n) {
    std::mt19937_64 random(n);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i) {
      position[i] = Vec3d{3 + normal(random), normal(random), normal(random)};
      mass[i] = 1 + std::fabs(normal(random));
    }
  }
};

struct Forces {
  std::vector<Vec3d> acceleration;
  std::vector<double> potential;

  Forces(const Cloud& cloud, DirectBackend& backend) : acceleration(cloud.mass.size()), potential(cloud.mass.size()) {
    DirectTask task;
    task.source_position = task.target_position = cloud.position;
    task.source_mass = task.target_mass = cloud.mass;
    task.softening2 = 0.01;
    task.acceleration = acceleration;
    task.potential = potential;
    backend.sum(task);
  }
};

/// Differences are measured by the rms acceleration; a body left out would change it by 1e-4 and more.
void expect_exact(const Cloud& cloud, const Forces& exact, const SumStrategy& strategy, int device) {
  const std::size_t n = cloud.mass.size();
  const auto backend = make_strategy_backend(strategy, device);
  const Forces found(cloud, *backend);
  EXPECT_GT(backend->kernel_seconds(), 0);
  double rms2 = 0, worst = 0, worst_potential = 0;
  for (std::size_t i = 0; i < n; ++i) {
    rms2 += norm2(exact.acceleration[i]) / static_cast<double>(n);
    worst = larger_error(worst, norm(found.acceleration[i] - exact.acceleration[i]));
    worst_potential = larger_error(worst_potential, std::fabs(found.potential[i] / exact.potential[i] - 1));
  }
  EXPECT_LT(worst, 1e-5 * std::sqrt(rms2)) << strategy.name << ", " << n;
  EXPECT_LT(worst_potential, 1e-5) << strategy.name << ", " << n;
}

TEST(StrategiesOnDevice, GiveTheScalarSums) {
  const int device = first_device();
  if (device < 0) GTEST_SKIP() << "no CUDA device";
  for (const std::size_t n : {10, 100, 2048, 3001}) {
    const Cloud cloud(n);
    const Forces exact(cloud, *make_scalar_direct_backend());
    for (const SumStrategy& strategy : sum_strategies) expect_exact(cloud, exact, strategy, device);
  }
}

TEST(StrategiesOnDevice, GiveThemOnAnyGrid) {
  const int device = first_device();
  if (device < 0) GTEST_SKIP() << "no CUDA device";
  const Cloud cloud(1500);
  const Forces exact(cloud, *make_scalar_direct_backend());
  for (const unsigned threads : {32U, 96U, 1024U}) {
    for (const unsigned blocks : {1U, 3U, 100U}) {
      for (const TileOrder order : {TileOrder::i_parallel, TileOrder::triangle}) {
        expect_exact(cloud, exact, {"tiles", order, BlockSharing::all_blocks, threads, 1, blocks}, device);
      }
    }
  }
}

TEST(StrategiesOnDevice, RefuseWhatTheyCannot) {
  const int device = first_device();
  if (device < 0) GTEST_SKIP() << "no CUDA device";
  const Cloud cloud(10);
  DirectTask task;
  task.source_position = task.target_position = cloud.position;
  task.source_mass = cloud.mass;
  EXPECT_THROW(make_strategy_backend(sum_strategies[0], device)->sum(task), Error);
}

TEST(CopyRates, AreThoseOfABus) {
  const int device = first_device();
  if (device < 0) GTEST_SKIP() << "no CUDA device";
  const std::vector<std::size_t> sizes{1000, std::size_t{1} << 24};
  const std::vector<CopySeconds> copies = measure_copies(device, sizes);
  ASSERT_EQ(copies.size(), 2U);
  for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(copies[s].bytes, sizes[s]);
  const CopySeconds& large = copies[1];
  for (const double seconds :
       {large.to_device_locked, large.to_device_pageable, large.to_host_locked, large.to_host_pageable}) {
    EXPECT_GT(static_cast<double>(large.bytes) / seconds, 1e8);
    EXPECT_LT(static_cast<double>(large.bytes) / seconds, 1e12);
  }
  EXPECT_LT(copies[0].to_device_locked, large.to_device_locked);
}

}  // namespace
}  // namespace multiwalk::device_test
