#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "host/particles/particle_store.hpp"

namespace multiwalk {
namespace {

/// Every array tells the element's number.
ParticleStore numbered(std::size_t n) {
  ParticleStore store;
  store.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto f = static_cast<float>(i);
    store.position[i] = {static_cast<double>(i), 1, 2};
    store.velocity[i] = {f, 3, 4};
    store.mass[i] = f + 1;
    store.id[i] = i;
    store.acceleration[i] = {f, 5, 6};
    store.potential[i] = -f;
    store.work[i] = f + 2;
    store.key[i] = i + 3;
  }
  return store;
}

void expect_numbers(const ParticleStore& store, const std::vector<std::uint32_t>& numbers) {
  store.for_each_array([&](const char* name, const auto& values) { ASSERT_EQ(values.size(), numbers.size()) << name; });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint32_t n = numbers[i];
    const auto f = static_cast<float>(n);
    ASSERT_EQ(store.position[i], (Vec3d{static_cast<double>(n), 1, 2})) << i;
    ASSERT_EQ(store.velocity[i], (Vec3f{f, 3, 4})) << i;
    ASSERT_EQ(store.mass[i], f + 1) << i;
    ASSERT_EQ(store.id[i], n) << i;
    ASSERT_EQ(store.acceleration[i], (Vec3f{f, 5, 6})) << i;
    ASSERT_EQ(store.potential[i], -f) << i;
    ASSERT_EQ(store.work[i], f + 2) << i;
    ASSERT_EQ(store.key[i], n + 3) << i;
  }
}

void expect_removal(std::size_t n, const std::vector<std::uint32_t>& removed) {
  ParticleStore store = numbered(n);
  std::vector<std::uint32_t> left;
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (next < removed.size() && removed[next] == i) {
      ++next;
    } else {
      left.push_back(i);
    }
  }
  store.remove(removed);
  expect_numbers(store, left);
}

TEST(ParticleStore, ReordersInWhateverSpareMemory) {
  std::vector<std::uint32_t> order(10007);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  for (const std::size_t most_spare : {std::size_t{0}, 12 * order.size(), 24 * order.size()}) {
    ParticleStore store = numbered(order.size());
    store.reorder(order, most_spare);
    expect_numbers(store, order);
  }
  EXPECT_EQ(ParticleStore::reorder_bytes(100, 0), 800);
  EXPECT_EQ(ParticleStore::reorder_bytes(100, 1200), 1200);
  EXPECT_EQ(ParticleStore::reorder_bytes(100), 2400);
}

TEST(ParticleStore, RemovesAndKeepsOrder) {
  expect_removal(5, {});
  expect_removal(5, {0, 1, 2, 3, 4});
  expect_removal(5, {0});
  expect_removal(5, {4});
  expect_removal(5, {1, 2});
}

TEST(ParticleStore, RemovesAcrossWindows) {
  const std::size_t n = 700000;  // several of the removal's windows
  std::mt19937 engine(1);
  for (const double share : {1e-5, 0.03, 0.5, 0.999}) {
    std::vector<std::uint32_t> removed;
    for (std::uint32_t i = 0; i < n; ++i)
      if (std::uniform_real_distribution<double>(0, 1)(engine) < share) removed.push_back(i);
    expect_removal(n, removed);
  }
  std::vector<std::uint32_t> block;  // longer than a window
  for (std::uint32_t i = 1000; i < 600000; ++i) block.push_back(i);
  expect_removal(n, block);
}

TEST(ParticleStore, ResizesTightly) {
  ParticleStore store = numbered(1000);
  store.resize_tightly(1001);
  EXPECT_LT(store.position.capacity(), 1100U);
  store.resize_tightly(1000);
  std::vector<std::uint32_t> all(1000);
  for (std::uint32_t i = 0; i < 1000; ++i) all[i] = i;
  expect_numbers(store, all);
}

}  // namespace
}  // namespace multiwalk
