// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "host/particles/particle_store.hpp"

namespace multiwalk {
namespace {

/// The contents of element n: every part of it encodes the number.
template <class T>
T of_number(std::uint32_t n, float array);
template <>
float of_number(std::uint32_t n, float array) {
  return static_cast<float>(n) + array / 4;
}
template <>
std::uint64_t of_number(std::uint32_t n, float array) {
  return n + static_cast<std::uint64_t>(array);
}
template <>
std::uint8_t of_number(std::uint32_t n, float array) {
  return static_cast<std::uint8_t>(n % 251 + static_cast<std::uint32_t>(array) % 4);
}
template <>
Vec3f of_number(std::uint32_t n, float array) {
  const auto f = of_number<float>(n, array);
  return {f, 2 * f, 3 * f};
}
template <>
Vec3d of_number(std::uint32_t n, float array) {
  return static_cast<Vec3d>(of_number<Vec3f>(n, array));
}

ParticleStore numbered(std::uint32_t n) {
  ParticleStore store;
  store.set_rungs(true);
  store.resize(n);
  float number = 0;
  store.for_each_array([&]<class T>(const char*, ParticleArray<T>& values) {
    ++number;
    for (std::uint32_t i = 0; i < n; ++i) values[i] = of_number<T>(i, number);
  });
  return store;
}

void expect_numbers(const ParticleStore& store, const std::vector<std::uint32_t>& numbers) {
  float number = 0;
  store.for_each_array([&]<class T>(const char* name, const ParticleArray<T>& values) {
    ++number;
    ASSERT_EQ(values.size(), numbers.size()) << name;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ASSERT_EQ(values[i], of_number<T>(numbers[i], number)) << name << i;
  });
}

void expect_removal(std::uint32_t n, const std::vector<std::uint32_t>& removed) {
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
    ParticleStore store = numbered(static_cast<std::uint32_t>(order.size()));
    store.reorder(order, most_spare);
    expect_numbers(store, order);
  }
  EXPECT_EQ(ParticleStore::reorder_bytes(100, 0), 800);
  EXPECT_EQ(ParticleStore::reorder_bytes(100, 1200), 1200);
  EXPECT_EQ(ParticleStore::reorder_bytes(100), 2400);
}

TEST(ParticleStore, WhatIsSetAsideIsNotReordered) {
  std::vector<std::uint32_t> order(1000);
  std::iota(order.rbegin(), order.rend(), 0U);
  ParticleStore store = numbered(1000);
  const ParticleArray<float> work = store.work;
  const float* const where = store.work.data();
  ReorderScratch scratch;
  {
    const SetAside aside(store.work);
    EXPECT_TRUE(store.work.empty());
    store.reorder(order, scratch);
  }
  EXPECT_EQ(store.work, work);
  EXPECT_EQ(store.work.data(), where);
  store.work.assign(order.begin(), order.end());
  for (float& w : store.work) w = of_number<float>(static_cast<std::uint32_t>(w), 7);
  expect_numbers(store, order);
}

/// Bytes of the arrays in a scratch after a reordering, which plans count (run/plan/memory_plan.cpp).
TEST(ParticleStore, ScratchHoldsWhatPlansCount) {
  std::vector<std::uint32_t> order(1000);
  std::iota(order.rbegin(), order.rend(), 0U);
  ParticleStore store = numbered(1000);
  ReorderScratch scratch;
  store.reorder(order, scratch);
  expect_numbers(store, order);
  std::size_t bytes = 0;
  std::apply([&](const auto&... array) { ((bytes += array.size() * sizeof(array[0])), ...); }, scratch);
  EXPECT_EQ(bytes, ParticleStore::scratch_bytes(1000));
}

TEST(ParticleStore, RemovesAndKeepsOrder) {
  expect_removal(5, {});
  expect_removal(5, {0, 1, 2, 3, 4});
  expect_removal(5, {0});
  expect_removal(5, {4});
  expect_removal(5, {1, 2});
}

TEST(ParticleStore, RemovesAcrossWindows) {
  const std::uint32_t n = 700000;  // several of the removal's windows
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
