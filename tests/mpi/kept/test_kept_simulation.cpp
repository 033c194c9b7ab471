// SPDX-License-Identifier: GPL-3.0-or-later
// Runs on several ranks whose back ends keep the particles: the cuts of space last, and a restarted run goes on bit for
// bit.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "host/force/device_walker.hpp"
#include "host/force/simd_backend.hpp"
#include "run/evolve/simulation.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/keepers/host_keeper.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

/// The CPU back end with a keeper, as if a device were there. Forces bring the particles home; every step keeps them
/// again.
class KeepingBackend final : public ForceBackend, private DeviceWalker {
 public:
  test::HostKeeper keeper;

  KeepingBackend() : ForceBackend({.name = "keeping", .description = "for tests", .preferred_group_size = 128}) {}

  [[nodiscard]] BackendServices services() override { return {.device_walker = this, .particle_keeper = &keeper}; }
  bool begin(const PairLaw& law, const TreeView& sources, const TargetView& targets, int lanes) override {
    return cpu_->begin(law, sources, targets, lanes);
  }
  WalkBatch& open(int lane) override { return cpu_->open(lane); }
  void submit(int lane) override { cpu_->submit(lane); }
  BackendTimes collect() override { return cpu_->collect(); }

 private:
  bool share_tree(TreeExchange&, const WalkSettings&, bool resident) override {
    require(!resident, "no tree was grown");
    return false;
  }
  MadeWalks walk(const GroupWalks&) override { throw Error("no tree was grown"); }
  std::optional<MadeWalks> walk_active(const ActiveWalks&) override { return std::nullopt; }

  std::unique_ptr<ForceBackend> cpu_ = make_simd_backend();
};

Parameters collapse() {
  Parameters parameters;
  parameters.model.kind = ModelKind::sphere;
  parameters.model.radius = 6;
  parameters.ic.grid = 12;
  parameters.force.mac = Mac::relative;
  parameters.run.threads = 1;
  return parameters;
}

ParticleSystem particles_of(const Parameters& p) {
  return make_model(p.model, p.ic, p.cosmology, nullptr, world());
}

void make_steps(Simulation& simulation, int steps) {
  if (simulation.step_count() == 0) simulation.start();
  for (int s = 0; s < steps; ++s) simulation.step(simulation.next_time());
}

bool same_cuts(const DomainMap& a, const DomainMap& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

void expect_in_domain(const Simulation& simulation) {
  const DomainMap map = simulation.domains();
  for (const Vec3d& x : simulation.on_host().particles.position) ASSERT_EQ(map.rank_of(x), world().rank());
}

TEST(KeptOnRanks, KeepTheirCutsForManySteps) {
  const Parameters parameters = collapse();
  KeepingBackend backend;
  Simulation simulation(parameters, particles_of(parameters), backend, world());
  make_steps(simulation, 6);
  const DomainMap first = simulation.domains();
  for (int step = 6; step < 32; ++step) {
    make_steps(simulation, 1);
    ASSERT_TRUE(same_cuts(simulation.domains(), first)) << step;
  }
  expect_in_domain(simulation);
  EXPECT_TRUE(world().alone() || world().sum(backend.keeper.strays) > 0U);
  const double imbalance = simulation.state().at("work_imbalance");
  make_steps(simulation, 1);
  EXPECT_EQ(same_cuts(simulation.domains(), first), imbalance <= 1.05) << imbalance;
  expect_in_domain(simulation);
  EXPECT_GE(backend.keeper.times_kept, 33) << "in every step";
}

/// Through new cuts.
void expect_to_go_on(Steps steps_taken) {
  Parameters parameters = collapse();
  parameters.time.steps = steps_taken;
  KeepingBackend backend, other_backend;
  Simulation whole(parameters, particles_of(parameters), backend, world());
  make_steps(whole, 20);
  const nlohmann::json state = nlohmann::json::parse(whole.state().dump());
  Simulation resumed(parameters, whole.on_host(), other_backend, world());
  resumed.restore(state);
  for (const int steps : {5, 10}) {
    make_steps(whole, steps);
    make_steps(resumed, steps);
    const ParticleStore &a = whole.on_host().particles, &b = resumed.on_host().particles;
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_EQ(a.acceleration, b.acceleration);
    EXPECT_EQ(a.potential, b.potential);
    EXPECT_EQ(whole.state(), resumed.state());
  }
}
TEST(KeptOnRanks, GoOnBitForBit) {
  expect_to_go_on(Steps::global);
}
TEST(KeptOnRanks, GoOnBitForBitInBlockSteps) {
  expect_to_go_on(Steps::block);
}

/// If one rank cannot keep its particles, none does, and the run is the same; keeping is tried again much later.
TEST(KeptOnRanks, AllKeepOrNone) {
  const Parameters parameters = collapse();
  KeepingBackend keeping, refusing;
  if (world().root()) refusing.keeper.refuses = true;
  Simulation kept(parameters, particles_of(parameters), keeping, world());
  Simulation plain(parameters, particles_of(parameters), refusing, world());
  make_steps(kept, 4);
  make_steps(plain, 4);
  EXPECT_EQ(refusing.keeper.times_kept, world().root() ? 0 : 1);
  EXPECT_EQ(refusing.keeper.strays, 0U);
  EXPECT_FALSE(plain.particles().on_device());
  EXPECT_EQ(kept.on_host().particles.position, plain.on_host().particles.position);
  EXPECT_EQ(kept.on_host().particles.id, plain.on_host().particles.id);
  if (world().alone()) return;  // keeps in the next step
  refusing.keeper.refuses = false;
  make_steps(plain, 26);
  EXPECT_FALSE(plain.particles().on_device());
  EXPECT_EQ(refusing.keeper.times_kept, world().root() ? 0 : 1);
  make_steps(plain, 4);
  EXPECT_GT(refusing.keeper.times_kept, 1);
}

/// Records the particles that it is shown, from an expansion factor on.
class Recorder final : public DriftObserver {
 public:
  explicit Recorder(double from) : from_(from) {}
  void before_drift(const ParticleStore& particles, const Drift& /*drift*/) override {
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const Vec3d x = particles.position[i];
      const Vec3f v = particles.velocity[i];
      seen.push_back({static_cast<double>(particles.id[i]), x.x, x.y, x.z, v.x, v.y, v.z});
    }
    ++drifts;
  }
  [[nodiscard]] bool watches(const Drift& drift) const override { return drift.begin >= from_; }

  std::vector<std::array<double, 7>> seen;
  int drifts = 0;

 private:
  double from_;
};

/// An observer sees the particles that a device keeps, and they stay there.
TEST(KeptOnRanks, AnObserverSeesTheParticles) {
  const Parameters parameters = collapse();
  KeepingBackend keeping, refusing;
  refusing.keeper.refuses = true;
  Simulation kept(parameters, particles_of(parameters), keeping, world());
  Simulation plain(parameters, particles_of(parameters), refusing, world());
  make_steps(kept, 2);
  make_steps(plain, 2);
  Recorder from_keeper(kept.next_time()), from_store(kept.next_time());
  kept.observe_drifts(&from_keeper);
  plain.observe_drifts(&from_store);
  make_steps(kept, 3);
  make_steps(plain, 3);
  EXPECT_EQ(from_keeper.drifts, 2) << "not the one before it watches";
  EXPECT_EQ(from_keeper.seen, from_store.seen);
  EXPECT_GE(keeping.keeper.times_kept, 5) << "in every step";
  EXPECT_EQ(kept.on_host().particles.position, plain.on_host().particles.position);
}

/// Records the particles of a passage: those that may be between 2 and 5 Mpc/h from the origin in the drift.
class PassageRecorder final : public DriftObserver {
 public:
  void before_drift(const ParticleStore& particles, const Drift& drift) override {
    ++whole;
    const Passage sought = *passage(drift);
    for (std::size_t i = 0; i < particles.size(); ++i) {
      if (test::passes(sought, particles.position[i], particles.velocity[i])) {
        add(particles.id[i], particles.mass[i], particles.position[i], particles.velocity[i]);
      }
    }
  }
  std::optional<Passage> passage(const Drift& drift) override {
    Passage result;
    result.light.factor = drift.factor;
    result.light.inner = 2;
    result.light.begin = result.light.outer = 5;
    result.light.light_way = 100;
    result.copies.emplace_back();
    return result;
  }
  void before_passage(const std::shared_ptr<const PassingParticles>& passing, const ParticleStore& store,
                      const Drift& /*drift*/) override {
    EXPECT_LT(passing->size(), store.size());
    for (std::size_t k = 0; k < passing->size(); ++k) {
      const std::uint32_t i = passing->index[k];
      add(store.id[i], store.mass[i], passing->position[k], passing->velocity[k]);
    }
  }

  std::vector<std::array<double, 8>> seen;
  int whole = 0;  ///< how often all particles were shown

 private:
  void add(std::uint64_t id, float mass, Vec3d x, Vec3f v) {
    seen.push_back({static_cast<double>(id), mass, x.x, x.y, x.z, v.x, v.y, v.z});
  }
};

/// An observer of a passage sees the particles that pass; all of them if one rank cannot find those that do.
TEST(KeptOnRanks, AnObserverSeesThePassingParticles) {
  const Parameters parameters = collapse();
  KeepingBackend keeping, refusing, searching;
  refusing.keeper.refuses = true;
  searching.keeper.finds_passing = !world().root();
  PassageRecorder from_keeper, from_store, from_copies;
  const auto run = [&](KeepingBackend& backend, PassageRecorder& recorder) {
    Simulation simulation(parameters, particles_of(parameters), backend, world());
    simulation.observe_drifts(&recorder);
    make_steps(simulation, 4);
    EXPECT_TRUE(backend.keeper.refuses || backend.keeper.times_kept >= 4) << "in every step";
  };
  run(keeping, from_keeper);
  run(refusing, from_store);
  run(searching, from_copies);
  EXPECT_EQ(from_keeper.whole, 0);
  EXPECT_EQ(from_store.whole, 4);
  EXPECT_EQ(from_copies.whole, 4);
  EXPECT_GT(world().sum(static_cast<std::uint64_t>(from_store.seen.size())), 100U);
  EXPECT_EQ(from_keeper.seen, from_store.seen);
  EXPECT_EQ(from_copies.seen, from_store.seen);
}

/// Rungs and kicks of a block's first substep, and strays with their rungs: the same bits as for particles at home.
TEST(KeptOnRanks, StayInBlockSteps) {
  Parameters parameters = collapse();
  parameters.model.kind = ModelKind::plummer;  // whose particles have unequal work
  parameters.model.particles = 1000;
  parameters.time.steps = Steps::block;
  KeepingBackend kept, home;
  home.keeper.refuses = true;
  Simulation simulation(parameters, particles_of(parameters), kept, world());
  Simulation other(parameters, particles_of(parameters), home, world());
  make_steps(simulation, 12);
  make_steps(other, 12);
  EXPECT_GE(kept.keeper.times_assigned, 11) << "in every block";
  EXPECT_EQ(home.keeper.times_assigned, 0);
  EXPECT_TRUE(world().alone() || world().sum(kept.keeper.strays) > 0U);
  const ParticleStore a = test::in_order_of_ids(simulation.on_host().particles),
                      b = test::in_order_of_ids(other.on_host().particles);
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.rung, b.rung);
}

}  // namespace
}  // namespace multiwalk
