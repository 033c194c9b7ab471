// SPDX-License-Identifier: GPL-3.0-or-later
// A light cone that searches beside the run, among the particles that pass, against one that searches all of them.
#include <gtest/gtest.h>

#include <random>

#include "host/time/leapfrog.hpp"
#include "run/sky/light_cone.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/sky/passing_on_host.hpp"
#include "tests/support/sky/sky_counter_on_host.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

constexpr double search_begin = 0.97;
constexpr int searched_drifts = 12;

enum class Stores { particles, nothing };

Parameters searched_cone(const std::string& directory, Stores stores) {
  Parameters p;
  p.run.directory = directory;
  p.lightcone.particles = stores == Stores::particles;
  p.lightcone.shells = p.lightcone.shell_velocities = true;
  p.lightcone.z_far = 1 / search_begin - 1;
  p.lightcone.z_near = 0.002;
  p.lightcone.nside = 64;
  p.lightcone.shell_count = 4;
  return p;
}

ParticleSystem searched_box() {
  ParticleSystem system;
  system.boundary = Boundary::periodic;
  system.time = search_begin;
  system.box_size = 40;
  std::mt19937_64 random(static_cast<std::uint64_t>(world().rank()));
  std::uniform_real_distribution<double> place(0, system.box_size);
  std::normal_distribution<float> velocity(0, 500);
  ParticleStore& store = system.particles;
  store.resize(3000);
  for (std::size_t i = 0; i < store.size(); ++i) {
    store.position[i] = {place(random), place(random), place(random)};
    store.velocity[i] = {velocity(random), velocity(random), velocity(random)};
    store.mass[i] = 2;
    store.id[i] = 10000 * static_cast<std::uint64_t>(world().rank()) + i;
    if (i % 1000 == 999) store.velocity[i] = {6e5F, -5e5F, 4e5F};
    if (i % 10 == 0) store.position[i].x = 0.5 * system.box_size;  // seen on the meridian between two base pixels
    if (i % 10 == 0) store.velocity[i].x = 0;
  }
  return system;
}

/// How a drift is shown.
enum class Shown { all, passing, counted };

struct SearchedCone {
  explicit SearchedCone(Stores stores = Stores::particles) : stored(stores) {}

  Stores stored;
  test::SharedDirectory directory;
  std::vector<std::string> told;
  ParticleSystem system = searched_box();
  LightCone cone{searched_cone(directory.path(), stored), system, world(), nullptr, [this](const std::string& text) {
                   if (text.find("wrote") != std::string::npos) told.push_back(text.substr(0, text.find(',')));
                 }};
  std::vector<OutputState> state;  ///< of checkpoints after every second drift

  test::SkyCounterOnHost counter{system.particles};

  /// Drift d is shown as `shown[d % shown.size()]`, for as long as it is needed.
  void run(const std::vector<Shown>& shown) {
    const Expansion expansion(CosmologyParameters{});
    const double step = (1 - search_begin) / searched_drifts;
    for (std::size_t d = 0; d < searched_drifts; ++d) {
      const double begin = search_begin + static_cast<double>(d) * step, end = begin + step;
      const Drift drift{begin, end, expansion.drift_factor(begin, end)};
      if (cone.watches(drift)) show(drift, shown[d % shown.size()]);
      multiwalk::drift(system.particles, drift.factor);
      std::ranges::fill(system.particles.id, 0);  // the search must not read the store any longer
      system.particles.id = searched_box().particles.id;
      if (d % 2 == 1) save();
    }
    EXPECT_EQ(cone.finish(), "light cone: 4 of 4 shells are complete");
  }
  [[nodiscard]] std::string rows() const {
    return test::read_bytes(cone_rows_path(directory.path(), static_cast<std::size_t>(world().rank())));
  }

 private:
  void show(const Drift& drift, Shown as) {
    if (as == Shown::all) return cone.before_drift(system.particles, drift);
    if (as == Shown::counted) {
      EXPECT_EQ(cone.count_kept(nullptr, drift), false);
      if (cone.count_kept(&counter, drift)) return;
    }
    const std::optional<Passage> passage = cone.passage(drift);
    ASSERT_TRUE(passage);
    cone.before_passage(test::passing_on_host(*passage, system.particles), system.particles, drift);
  }
  void save() { state.push_back(cone.save(0)); }
};

void expect_same(const SearchedCone& one, const SearchedCone& other) {
  ASSERT_EQ(one.state.size(), other.state.size());
  for (std::size_t i = 0; i < one.state.size(); ++i) {
    EXPECT_EQ(one.state[i].json, other.state[i].json);
    EXPECT_TRUE(one.state[i].bytes == other.state[i].bytes);
  }
  EXPECT_EQ(one.told.size(), other.told.size());
  for (int shell = 0; shell < 4 && world().root(); ++shell) {
    const std::string name = "/lightcone_shell_00" + std::to_string(shell);
    for (const char* kind : {".fits", ".hdf5"}) {
      const std::string bytes = test::read_bytes(one.directory.path() + name + kind);
      EXPECT_FALSE(bytes.empty());
      EXPECT_TRUE(bytes == test::read_bytes(other.directory.path() + name + kind)) << name << kind;
    }
  }
}

TEST(ConeSearch, BesideTheRunFindsTheSame) {
  SearchedCone all, passing, mixed;
  all.run({Shown::all});
  passing.run({Shown::passing});
  mixed.run({Shown::passing, Shown::all});
  EXPECT_FALSE(all.rows().empty());
  for (const SearchedCone* other : {&passing, &mixed}) {
    expect_same(*other, all);
    EXPECT_TRUE(other->rows() == all.rows());
  }
}

/// Checkpoints are the same, too: what the device has counted is copied home.
TEST(ConeSearch, OnADeviceCountsTheSame) {
  SearchedCone all(Stores::nothing), counted(Stores::nothing), mixed(Stores::nothing), refused(Stores::nothing);
  all.run({Shown::all});
  counted.run({Shown::counted});
  mixed.run({Shown::counted, Shown::passing, Shown::counted, Shown::all});
  refused.counter.refuses = world().rank() == world().size() - 1;
  refused.run({Shown::counted});
  for (const SearchedCone* other : {&counted, &mixed, &refused}) expect_same(*other, all);
  EXPECT_GT(counted.counter.counted, 10000U);
  EXPECT_GT(counted.counter.in_doubt, 0U);
  EXPECT_GT(counted.counter.fast, 0U);
  EXPECT_GT(mixed.counter.counted, 1000U);
  EXPECT_EQ(refused.counter.counted, 0U);
}

}  // namespace
}  // namespace multiwalk
