// SPDX-License-Identifier: GPL-3.0-or-later
// The crossings of a light cone against brute force: positions of all particles at every drift, joined by straight
// lines, and all images of them. The run is continued from a checkpoint in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>

#include "analysis/sky/crossing_finder.hpp"
#include "analysis/sky/lens_plane.hpp"
#include "analysis/sky/sky_counts.hpp"
#include "host/base/separation.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/evolve/simulation.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

/// Particles of a rank at the beginning of a drift.
struct Frozen {
  std::uint64_t id;
  int drift;
  double x, y, z;
};

struct Met {
  std::uint64_t id;
  double x, y, z, a;
};

bool before(const Met& a, const Met& b) {
  return std::tie(a.id, a.a) < std::tie(b.id, b.a);
}

/// Every rank's values on every rank.
template <class T>
std::vector<T> of_all(const std::vector<T>& mine, const Communicator& comm) {
  std::vector<T> all;
  for (int to = 0; to < comm.size(); ++to) {
    std::vector<T> here = comm.gather(std::span<const T>(mine), to);
    if (to == comm.rank()) all = std::move(here);
  }
  return all;
}

/// Finds crossings, among the particles that pass if a device finds them, and records what brute force needs.
class Watcher final : public DriftObserver, private CrossingSink {
 public:
  Watcher(const Expansion& expansion, const SkyView& view, double period, double near, double far)
      : expansion_(expansion), period_(period), finder_(view, period, near, far) {}

  void before_drift(const ParticleStore& particles, const Drift& drift) override {
    freeze(particles, drift);
    finder_.find(particles, LightPath(expansion_, drift), drift.factor, *this);
  }
  std::optional<Passage> passage(const Drift& drift) override {
    return finder_.passage(LightPath(expansion_, drift), drift.factor);
  }
  void before_passage(const std::shared_ptr<const PassingParticles>& passing, const ParticleStore& store,
                      const Drift& drift) override {
    static_cast<void>(simulation->particles().motion_on_host());
    freeze(store, drift);
    std::vector<float> mass;
    std::vector<std::uint64_t> id;
    for (const std::uint32_t i : passing->index) {
      mass.push_back(store.mass[i]);
      id.push_back(store.id[i]);
    }
    ++passages;
    finder_.find({passing->position, passing->velocity, mass, id, passing->index}, LightPath(expansion_, drift),
                 drift.factor, *this);
  }

  Simulation* simulation = nullptr;  ///< the one that is watched
  int passages = 0;                  ///< drifts of which it saw the particles that pass
  std::vector<Drift> drifts;
  std::vector<Frozen> frozen;
  std::vector<Met> met;
  std::atomic<std::uint64_t> counted{0};

 private:
  void freeze(const ParticleStore& particles, const Drift& drift) {
    const auto number = static_cast<int>(drifts.size());
    for (std::size_t i = 0; i < particles.size(); ++i) {
      const Vec3d x = wrapped(particles.position[i], period_);
      frozen.push_back({particles.id[i], number, x.x, x.y, x.z});
    }
    drifts.push_back(drift);
  }
  void count(std::span<const Crossing> crossings) override { counted += crossings.size(); }
  [[nodiscard]] bool in_order() const override { return true; }
  void append(std::span<const Crossing> crossings) override {
    for (const Crossing& c : crossings) met.push_back({c.id, c.position.x, c.position.y, c.position.z, c.a});
  }

  const Expansion& expansion_;
  double period_;
  CrossingFinder finder_;
};

/// One image on its straight way through a drift: the crossing by false position in a, with exact integrals.
void seek(const Expansion& expansion, const Drift& drift, Vec3d from, Vec3d to, Met met, std::vector<Met>& found) {
  const auto place = [&](double a) {
    return from + (expansion.drift_factor(drift.begin, a) / drift.factor) * (to - from);
  };
  const auto ahead = [&](double a) { return light_distance(expansion, a) - norm(place(a)); };
  double lo = drift.begin, hi = drift.end, above = ahead(lo), below = ahead(hi);
  if (!(above > 0) || below > 0) return;
  double a = hi;
  for (int i = 0; i < 6; ++i) {  // false position; the function is nearly linear
    a = lo + (hi - lo) * above / (above - below);
    const double here = ahead(a);
    (here > 0 ? lo : hi) = a;
    (here > 0 ? above : below) = here;
  }
  const Vec3d at = place(a);
  met.x = at.x, met.y = at.y, met.z = at.z, met.a = a;
  found.push_back(met);
}

/// Integrals take their time: every 16th particle is sought, by one of the ranks.
bool is_sought(std::uint64_t id) {
  return id % 16 == 5 &&
         id / 16 % static_cast<std::uint64_t>(world().size()) == static_cast<std::uint64_t>(world().rank());
}

std::vector<Met> brute_force(const Expansion& expansion, std::vector<Frozen> all, const std::vector<Drift>& drifts,
                             Vec3d observer, double period, double near, double far) {
  std::ranges::sort(all,
                    [](const Frozen& a, const Frozen& b) { return std::tie(a.id, a.drift) < std::tie(b.id, b.drift); });
  std::vector<double> light_begins, light_ends;
  for (const Drift& drift : drifts) {
    light_begins.push_back(light_distance(expansion, drift.begin));
    light_ends.push_back(light_distance(expansion, drift.end));
  }
  const int reach = static_cast<int>(std::ceil(far / period)) + 1;
  std::vector<Met> found;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (all[i].id != all[i + 1].id) continue;
    const auto number = static_cast<std::size_t>(all[i].drift);
    const Drift& drift = drifts[number];
    const Vec3d from{all[i].x, all[i].y, all[i].z}, to{all[i + 1].x, all[i + 1].y, all[i + 1].z};
    const Vec3d way = separation(from, to, period);
    const double most = light_begins[number] + norm(way);
    const double least = light_ends[number] - norm(way);
    for (int x = -reach; x <= reach; ++x) {
      for (int y = -reach; y <= reach; ++y) {
        for (int z = -reach; z <= reach; ++z) {
          const Vec3d image = from + Vec3d{x * period, y * period, z * period} - observer;
          const double r = norm(image);
          if (r <= most && r >= least) seek(expansion, drift, image, image + way, {all[i].id, 0, 0, 0, 0}, found);
        }
      }
    }
  }
  std::erase_if(found, [&](const Met& m) {
    const double r = norm(Vec3d{m.x, m.y, m.z});
    return r < near || r >= far;
  });
  std::ranges::sort(found, before);
  return found;
}

/// Particles per side; MULTIWALK_CONE_GRID in the environment makes them more.
std::uint32_t grid() {
  const char* const wished = std::getenv("MULTIWALK_CONE_GRID");
  return wished != nullptr ? static_cast<std::uint32_t>(std::atoi(wished)) : 16;
}

/// MULTIWALK_CONE_BACKEND in the environment; "cuda-resident" for a device that keeps the particles (which takes at
/// least 28 particles per side).
std::string backend_name() {
  const char* const wished = std::getenv("MULTIWALK_CONE_BACKEND");
  return wished != nullptr ? wished : "cpu";
}

Parameters box(Steps steps) {
  Parameters parameters;
  parameters.model.kind = ModelKind::box;
  parameters.model.box_size = 60;
  parameters.ic.grid = grid();
  parameters.ic.z_start = 1;
  parameters.box_force.accuracy = Accuracy::fast;
  parameters.time.steps = steps;
  parameters.time.max_dlna = 0.01;
  parameters.run.threads = world().alone() ? 2 : 1;
  return parameters;
}

/// Writes a checkpoint of the simulation and restarts from it. Collective.
std::unique_ptr<Simulation> continued(const Simulation& simulation, const Parameters& parameters,
                                      ForceBackend& backend) {
  const test::SharedDirectory directory;
  const CheckpointView state{simulation.on_host(), "", simulation.state().dump(), simulation.step_count()};
  write_checkpoint(directory.path(), state, world());
  std::string warning;
  Checkpoint checkpoint = read_newest_checkpoint(directory.path(), warning, world());
  EXPECT_EQ(warning, "");
  auto result = std::make_unique<Simulation>(parameters, std::move(checkpoint.system), backend, world());
  result->restore(nlohmann::json::parse(checkpoint.state));
  result->start();
  return result;
}

/// A run from z = 1 to 0; the light cone begins at z = 0.025; the last drift ends at a = 1.
void expect_all_crossings(Steps steps) {
  const Communicator& comm = world();
  const Parameters p = box(steps);
  const BackendChoice choice = choose_backend(backend_name(), {});
  ForceBackend& backend = *choice.backend;
  auto simulation =
      std::make_unique<Simulation>(p, make_model(p.model, p.ic, p.cosmology, nullptr, comm), backend, comm);
  simulation->start();
  while (simulation->time() < 1 / 1.025) simulation->step(simulation->next_time());
  const Expansion expansion = simulation->expansion();
  const double far = light_distance(expansion, simulation->time()), near = 0.1 * far;
  const double middle = (simulation->time() + 1) / 2;
  SkyView view;
  view.observer = {7, 31, 55};
  Watcher watcher(expansion, view, p.model.box_size, near, far);
  const auto advance = [&](double end) {
    watcher.simulation = simulation.get();
    simulation->observe_drifts(&watcher);
    while (simulation->time() < end) simulation->step(std::min(1.0, simulation->next_time()));
  };
  advance(middle);
  ASSERT_LT(simulation->time(), 1);
  simulation = continued(*simulation, p, backend);
  advance(1);
  // The places after the last drift.
  const ParticleStore& particles = simulation->on_host().particles;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3d x = wrapped(particles.position[i], p.model.box_size);
    watcher.frozen.push_back({particles.id[i], static_cast<int>(watcher.drifts.size()), x.x, x.y, x.z});
  }
  std::vector<Frozen> frozen = of_all(watcher.frozen, comm);
  std::vector<Met> met = of_all(watcher.met, comm);
  EXPECT_EQ(comm.sum(watcher.counted.load()), met.size());
  ASSERT_GT(met.size(), 10000U);
  std::erase_if(frozen, [](const Frozen& f) { return !is_sought(f.id); });
  std::erase_if(met, [](const Met& m) { return !is_sought(m.id); });
  std::ranges::sort(met, before);
  const std::vector<Met> expected =
      brute_force(expansion, frozen, watcher.drifts, view.observer, p.model.box_size, near, far);
  ASSERT_EQ(met.size(), expected.size());
  const double spacing = p.model.box_size / grid();
  double farthest = 0;
  for (std::size_t i = 0; i < met.size(); ++i) {
    ASSERT_EQ(met[i].id, expected[i].id);
    farthest =
        std::max(farthest, norm(Vec3d{met[i].x - expected[i].x, met[i].y - expected[i].y, met[i].z - expected[i].z}));
    ASSERT_NEAR(met[i].a, expected[i].a, 1e-6);
  }
  EXPECT_LT(farthest, 1e-6 * spacing);
  if (comm.root()) {
    std::printf("%zu crossings sought in %zu drifts, %d of them with the particles that pass, farthest %.2g spacings\n",
                met.size(), watcher.drifts.size(), watcher.passages, farthest / spacing);
  }
  if (backend_name() == "cuda-resident") {
    EXPECT_EQ(static_cast<std::size_t>(watcher.passages), watcher.drifts.size());
  }
}

TEST(LightConeOverRanks, GlobalStepsCrossOnce) {
  expect_all_crossings(Steps::global);
}

TEST(LightConeOverRanks, BlockStepsCrossOnce) {
  expect_all_crossings(Steps::block);
}

TEST(LightConeOverRanks, CountsOfAllRanksAddUp) {
  const Communicator& comm = world();
  SkyCounts counts(32);
  const std::uint64_t pixels = counts.pixels();
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  std::vector<std::uint64_t> own;
  for (std::uint64_t p = rank; p < pixels; p += 7) own.push_back(p);
  counts.add(own);
  std::uint64_t expected = 0;
  for (int r = 0; r < comm.size(); ++r) expected += (pixels - static_cast<std::uint64_t>(r) + 6) / 7;
  counts.move_to_root(comm);
  EXPECT_EQ(counts.total(), comm.root() ? expected : 0);
}

/// The same bits as one rank's.
TEST(LightConeOverRanks, PlanesDoNotDependOnRanks) {
  const Communicator& comm = world();
  std::vector<Vec3d> all, own;
  std::vector<float> masses, own_masses;
  for (int i = 0; i < 3000; ++i) {
    all.push_back({std::fmod(i * 7.771, 50), std::fmod(i * 0.913, 50), std::fmod(i * 13.37, 50)});
    masses.push_back(1 + 0.25F * static_cast<float>(i % 3));
    if (i % comm.size() != comm.rank()) continue;
    own.push_back(all.back());
    own_masses.push_back(masses.back());
  }
  const PeriodicParticles whole{all, masses, 50}, part{own, own_masses, 50};
  for (int normal = 0; normal < 3; ++normal) {
    const SlabOptions options{20, Assignment::pcs, normal, 3};
    std::vector<ProjectedSlab> expected;
    project_slabs(whole, sum_masses(whole), options, {},
                  [&](std::uint32_t, const ProjectedSlab& slab) { expected.push_back(slab); });
    project_slabs(part, sum_masses(part, comm), options, comm, [&](std::uint32_t s, const ProjectedSlab& slab) {
      EXPECT_EQ(slab.density, expected[s].density);
      EXPECT_EQ(slab.particles, expected[s].particles);
    });
  }
}

/// 64-bit sums of either sign, which no rank holds alone.
TEST(LightConeOverRanks, VelocitiesOfAllRanksAddUp) {
  const Communicator& comm = world();
  SkyMaps maps(32, true);
  const std::int64_t large = std::int64_t{1} << 40, rank = comm.rank(), ranks = comm.size();
  const std::vector<std::uint64_t> pixels{3, 5000, 12000, 3};
  const std::vector<std::int64_t> values{large + rank, -large * (rank + 1), rank - 7, 1};
  maps.velocities->add(pixels, values);
  maps.move_to_root(comm);
  const auto at = [&](std::uint64_t p) -> std::int64_t {
    const auto block = maps.velocities->block(p / SkyVelocities::block_pixels);
    return block.empty() ? 0 : block[p % SkyVelocities::block_pixels];
  };
  const std::int64_t sum = ranks * (ranks - 1) / 2;
  EXPECT_EQ(at(3), comm.root() ? large * ranks + sum + ranks : 0);
  EXPECT_EQ(at(5000), comm.root() ? -large * (sum + ranks) : 0);
  EXPECT_EQ(at(12000), comm.root() ? sum - 7 * ranks : 0);
  EXPECT_EQ(at(100), 0);
}

}  // namespace
}  // namespace multiwalk
