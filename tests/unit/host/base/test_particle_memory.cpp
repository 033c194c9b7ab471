// SPDX-License-Identifier: GPL-3.0-or-later
// Where particle arrays come from: the source in use, or plain memory if it has none.
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <set>

#include "host/particles/particle_store.hpp"

namespace multiwalk {
namespace {

/// Counts what it gives and takes back.
class CountingMemory final : public ParticleMemory {
 public:
  void* allocate(std::size_t bytes) noexcept override {
    ++asked;
    if (empty) return nullptr;
    void* data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    given.insert(data);
    return data;
  }
  bool deallocate(void* data) noexcept override {
    if (given.erase(data) == 0) return false;
    std::free(data);
    return true;
  }

  bool empty = false;
  int asked = 0;
  std::set<void*> given;
};

constexpr std::size_t many = std::size_t{1} << 18;  // floats of 1 MiB

class ParticleMemories : public testing::Test {
 protected:
  void SetUp() override {
    memory().empty = false;
    memory().asked = 0;
  }
  /// Other tests have plain memory again.
  void TearDown() override {
    EXPECT_TRUE(memory().given.empty());
    memory().empty = true;
  }
  static CountingMemory& memory() {
    static CountingMemory& made = []() -> CountingMemory& {
      auto* fresh = new CountingMemory;
      use_particle_memory(*fresh);
      return *fresh;
    }();
    return made;
  }
};

TEST_F(ParticleMemories, LargeArraysComeFromTheSourceAndGoBack) {
  {
    ParticleStore store;
    store.resize(many);
    EXPECT_EQ(memory().given.size(), 8U);
    EXPECT_EQ(memory().given.count(store.position.data()), 1U);
    EXPECT_EQ(memory().given.count(store.work.data()), 1U);
  }
  EXPECT_TRUE(memory().given.empty());
}

TEST_F(ParticleMemories, SmallArraysAreNoneOfItsBusiness) {
  const ParticleArray<float> small(many - 1);
  EXPECT_EQ(memory().asked, 0);
  const ParticleArray<float> large(many);
  EXPECT_EQ(memory().asked, 1);
}

TEST_F(ParticleMemories, PlainMemoryServesWhereTheSourceHasNone) {
  memory().empty = true;
  ParticleArray<float> plain(many);
  std::iota(plain.begin(), plain.end(), 0.0F);
  EXPECT_EQ(memory().asked, 1);
  EXPECT_EQ(plain.back(), static_cast<float>(many - 1));
  // Freed, and grown, while the source has some again.
  memory().empty = false;
  plain.push_back(1);
  EXPECT_EQ(memory().given.count(plain.data()), 1U);
  EXPECT_EQ(plain[many - 1], static_cast<float>(many - 1));
}

TEST_F(ParticleMemories, ReallocatedStoresKeepTheirValues) {
  memory().empty = true;
  ParticleStore store;
  store.resize(many);
  std::iota(store.id.begin(), store.id.end(), 7U);
  store.position[5] = {1, 2, 3};
  store.key = {};
  memory().empty = false;
  store.reallocate();
  EXPECT_EQ(memory().given.size(), 7U);
  EXPECT_EQ(memory().given.count(store.id.data()), 1U);
  for (std::size_t i = 0; i < many; ++i) ASSERT_EQ(store.id[i], i + 7);
  EXPECT_EQ(store.position[5], (Vec3d{1, 2, 3}));
  EXPECT_TRUE(store.key.empty());
}

}  // namespace
}  // namespace multiwalk
