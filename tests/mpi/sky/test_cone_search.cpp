// SPDX-License-Identifier: GPL-3.0-or-later
// A light cone that searches beside the run, among the particles that pass, against one that searches all of them.
#include <gtest/gtest.h>

#include <random>

#include "host/time/leapfrog.hpp"
#include "run/sky/light_cone.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/sky/passing_on_host.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

constexpr double search_begin = 0.97;
constexpr int searched_drifts = 12;

Parameters searched_cone(const std::string& directory) {
  Parameters p;
  p.run.directory = directory;
  p.lightcone.particles = p.lightcone.shells = p.lightcone.shell_velocities = true;
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
  }
  return system;
}

struct SearchedCone {
  test::SharedDirectory directory;
  std::vector<std::string> told;
  ParticleSystem system = searched_box();
  LightCone cone{searched_cone(directory.path()), system, world(), nullptr,
                 [this](const std::string& text) { told.push_back(text.substr(0, text.find(','))); }};
  std::vector<std::vector<std::uint32_t>> sky;  ///< of checkpoints after every second drift
  std::vector<nlohmann::json> state;

  /// Every second drift (beside: each of them) shows the particles that pass, for as long as they are needed.
  void run(bool passing, bool beside) {
    const Expansion expansion(CosmologyParameters{});
    const double step = (1 - search_begin) / searched_drifts;
    for (int d = 0; d < searched_drifts; ++d) {
      const double begin = search_begin + d * step, end = begin + step;
      const Drift drift{begin, end, expansion.drift_factor(begin, end)};
      if (cone.watches(drift)) show(drift, passing && (beside || d % 2 == 0));
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
  void show(const Drift& drift, bool passing) {
    if (!passing) return cone.before_drift(system.particles, drift);
    const std::optional<Passage> passage = cone.passage(drift);
    ASSERT_TRUE(passage);
    cone.before_passage(test::passing_on_host(*passage, system.particles), system.particles, drift);
  }
  void save() {
    RunningState saved;
    cone.save(saved);
    sky.push_back(saved.sky);
    state.push_back(saved.json.at("light_cone"));
  }
};

TEST(ConeSearch, BesideTheRunFindsTheSame) {
  SearchedCone all, passing, mixed;
  all.run(false, false);
  passing.run(true, true);
  mixed.run(true, false);
  EXPECT_FALSE(all.rows().empty());
  for (const SearchedCone* other : {&passing, &mixed}) {
    EXPECT_EQ(other->state, all.state);
    EXPECT_TRUE(other->sky == all.sky);
    EXPECT_TRUE(other->rows() == all.rows());
    EXPECT_EQ(other->told.size(), all.told.size());
    for (int shell = 0; shell < 4 && world().root(); ++shell) {
      const std::string name = "/lightcone_shell_00" + std::to_string(shell) + ".fits";
      EXPECT_TRUE(test::read_bytes(other->directory.path() + name) == test::read_bytes(all.directory.path() + name));
    }
  }
}

}  // namespace
}  // namespace multiwalk
