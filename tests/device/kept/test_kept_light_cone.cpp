// SPDX-License-Identifier: GPL-3.0-or-later
// The light cone of a run whose particles a device keeps: the device's choice of particles leads to the files of a
// search among all of them, byte for byte.
#include <memory>

#include "ic/models/model.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/evolve/simulation.hpp"
#include "run/sky/light_cone.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk::device_test {
namespace {

struct ConeCase {
  const char* name;
  Steps steps;
  SkyOpening opening;
  bool turned;
};

Parameters cone_run(const ConeCase& c, const std::string& directory) {
  Parameters p;
  p.run.directory = directory;
  p.model.kind = ModelKind::box;
  p.model.box_size = 60;
  p.ic.grid = 32;
  p.ic.z_start = 0.5;
  p.box_force.accuracy = Accuracy::fast;
  p.time.steps = c.steps;
  p.time.max_dlna = 0.01;
  p.lightcone.particles = p.lightcone.shells = p.lightcone.shell_velocities = true;
  p.lightcone.observer = {7, 31, 55};
  p.lightcone.pole = {1, 2, 3};
  p.lightcone.opening = c.opening;
  p.lightcone.half_angle = 25;
  p.lightcone.rotate_replicas = p.lightcone.shift_replicas = c.turned;
  p.lightcone.z_far = 0.04;
  p.lightcone.nside = 128;
  p.lightcone.shell_count = 3;
  return p;
}

/// One light cone sees the particles that pass, the other all of them.
class Both final : public DriftObserver {
 public:
  Both(Simulation& simulation, LightCone& passing, LightCone& all)
      : simulation_(simulation), passing_(passing), all_(all) {}
  void before_drift(const ParticleStore& /*particles*/, const Drift& /*drift*/) override {
    ADD_FAILURE() << "the device did not find the particles";
  }
  std::optional<Passage> passage(const Drift& drift) override { return passing_.passage(drift); }
  void before_passage(const std::shared_ptr<const PassingParticles>& passing, const ParticleStore& store,
                      const Drift& drift) override {
    ++drifts;
    fewer += passing->size() < store.size() ? 1 : 0;
    passing_.before_passage(passing, store, drift);
    static_cast<void>(simulation_.particles().motion_on_host());
    all_.before_drift(store, drift);
  }
  [[nodiscard]] bool watches(const Drift& drift) const override { return all_.watches(drift); }

  int drifts = 0, fewer = 0;

 private:
  Simulation& simulation_;
  LightCone &passing_, &all_;
};

/// One light cone has its crossings counted by the device, with a checkpoint in between; the other sees all particles.
class Counted final : public DriftObserver {
 public:
  Counted(Simulation& simulation, LightCone& counted, LightCone& all)
      : simulation_(simulation), counted_(counted), all_(all) {}
  void before_drift(const ParticleStore& /*particles*/, const Drift& /*drift*/) override {
    ADD_FAILURE() << "the device did not count";
  }
  bool count_kept(SkyCounter* counter, const Drift& drift) override {
    ++drifts;
    EXPECT_TRUE(counted_.count_kept(counter, drift));
    all_.before_drift(simulation_.particles().motion_on_host().particles, drift);
    if (drifts % 3 == 0) expect_same_state();
    return true;
  }
  [[nodiscard]] bool watches(const Drift& drift) const override { return all_.watches(drift); }

  int drifts = 0;

 private:
  void expect_same_state() {
    const OutputState counted = counted_.save(0), all = all_.save(0);
    EXPECT_EQ(counted.json, all.json);
    EXPECT_TRUE(counted.bytes == all.bytes);
  }
  Simulation& simulation_;
  LightCone &counted_, &all_;
};

class KeptLightCone : public testing::TestWithParam<ConeCase> {};

INSTANTIATE_TEST_SUITE_P(Cones, KeptLightCone,
                         testing::Values(ConeCase{"global", Steps::global, SkyOpening::full, false},
                                         ConeCase{"block", Steps::block, SkyOpening::full, false},
                                         ConeCase{"octant", Steps::global, SkyOpening::octant, false},
                                         ConeCase{"cone", Steps::block, SkyOpening::cone, true}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(KeptLightCone, HasTheBytesOfASearchAmongAllParticles) {
  if (!backend_or_null({})) GTEST_SKIP() << "no CUDA device";
  const BackendChoice choice = choose_backend("cuda-resident", {});
  const test::TemporaryDirectory here, there;
  const Parameters p = cone_run(GetParam(), here.path()), q = cone_run(GetParam(), there.path());
  Simulation simulation(p, make_model(p.model, p.ic, p.cosmology), *choice.backend);
  simulation.start();
  const auto quiet = [](const std::string&) {};
  LightCone passing(p, simulation.on_host(), {}, nullptr, quiet);
  LightCone all(q, simulation.on_host(), {}, nullptr, quiet);
  Both both(simulation, passing, all);
  simulation.observe_drifts(&both);
  while (simulation.time() < 1) simulation.step(std::min(1.0, simulation.next_time()));
  EXPECT_EQ(passing.finish(), "light cone: 3 of 3 shells are complete");
  all.finish();
  EXPECT_GE(both.drifts, 4);
  EXPECT_GT(both.fewer, 0);
  const std::string rows = test::read_bytes(cone_rows_path(there.path(), 0));
  EXPECT_GT(rows.size(), 1000 * sizeof(ConeRow));
  EXPECT_TRUE(test::read_bytes(cone_rows_path(here.path(), 0)) == rows);
  for (const char* shell : {"0", "1", "2"}) {
    const std::string name = std::string("/lightcone_shell_00") + shell + ".fits";
    EXPECT_TRUE(test::read_bytes(here.path() + name) == test::read_bytes(there.path() + name)) << name;
  }
}

TEST_P(KeptLightCone, IsCountedByTheDevice) {
  if (!backend_or_null({})) GTEST_SKIP() << "no CUDA device";
  const BackendChoice choice = choose_backend("cuda-resident", {});
  const test::TemporaryDirectory here, there;
  Parameters p = cone_run(GetParam(), here.path()), q = cone_run(GetParam(), there.path());
  p.lightcone.particles = q.lightcone.particles = false;
  Simulation simulation(p, make_model(p.model, p.ic, p.cosmology), *choice.backend);
  simulation.start();
  const auto quiet = [](const std::string&) {};
  LightCone counted(p, simulation.on_host(), {}, nullptr, quiet);
  LightCone all(q, simulation.on_host(), {}, nullptr, quiet);
  Counted both(simulation, counted, all);
  simulation.observe_drifts(&both);
  while (simulation.time() < 1) simulation.step(std::min(1.0, simulation.next_time()));
  EXPECT_EQ(counted.finish(), "light cone: 3 of 3 shells are complete");
  all.finish();
  EXPECT_GE(both.drifts, 4);
  for (const char* shell : {"0", "1", "2"}) {
    const std::string name = std::string("/lightcone_shell_00") + shell;
    for (const char* kind : {".fits", ".hdf5"}) {
      const std::string bytes = test::read_bytes(here.path() + name + kind);
      EXPECT_GT(bytes.size(), 1000U);
      EXPECT_TRUE(bytes == test::read_bytes(there.path() + name + kind)) << name << kind;
    }
  }
}

}  // namespace
}  // namespace multiwalk::device_test
