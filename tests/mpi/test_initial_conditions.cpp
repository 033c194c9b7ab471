// SPDX-License-Identifier: GPL-3.0-or-later
// The same universe on any number of ranks: every model's particles against those that one rank makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "decomposition/mesh/pencil_grid.hpp"
#include "decomposition/ranks/agree.hpp"
#include "ic/models/model.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// This rank's particles have the bits of the same ids in `whole` (sorted by id); together they are all of them.
void expect_same_universe(const ParticleSystem& mine, const ParticleSystem& whole) {
  const ParticleStore& p = mine.particles;
  const ParticleStore& all = whole.particles;
  EXPECT_TRUE(std::is_sorted(p.id.begin(), p.id.end()));
  std::uint64_t wrong = 0;
  std::uint64_t id_sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto j = static_cast<std::size_t>(std::lower_bound(all.id.begin(), all.id.end(), p.id[i]) - all.id.begin());
    const bool same = j < all.size() && all.id[j] == p.id[i] && same_bits(all.position[j], p.position[i]) &&
                      same_bits(all.velocity[j], p.velocity[i]) && same_bits(all.mass[j], p.mass[i]);
    wrong += same ? 0 : 1;
    id_sum += p.id[i];
  }
  EXPECT_EQ(wrong, 0U);
  std::uint64_t expected_sum = 0;
  for (const std::uint64_t id : all.id) expected_sum += id;
  EXPECT_EQ(world().sum(std::uint64_t{p.size()}), all.size());
  EXPECT_EQ(world().sum(id_sum), expected_sum);
  EXPECT_TRUE(same_bits(mine.box_size, whole.box_size) && same_bits(mine.spacing, whole.spacing) &&
              same_bits(mine.sphere_radius, whole.sphere_radius) && same_bits(mine.time, whole.time));
  EXPECT_TRUE(mine.frame == whole.frame && mine.boundary == whole.boundary);
}

IcOptions small_ic(std::uint32_t grid, int order) {
  IcOptions ic;
  ic.grid = grid;
  ic.lpt_order = order;
  return ic;
}

void expect_same_model(const ModelOptions& model, const IcOptions& ic) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(model.kind)) + ", grid " + std::to_string(ic.grid));
  const CosmologyParameters cosmology;
  const ParticleSystem mine = make_model(model, ic, cosmology, nullptr, world());
  expect_same_universe(mine, make_model(model, ic, cosmology));
}

TEST(InitialConditions, ComovingModelsAreThoseOfOneRank) {
  for (const ModelKind kind : {ModelKind::box, ModelKind::sphere, ModelKind::hubble_lattice}) {
    for (const std::uint32_t grid : {3U, 7U, 20U}) {
      ModelOptions model;
      model.kind = kind;
      model.jitter = 0.3;
      expect_same_model(model, small_ic(grid, grid == 7 ? 1 : 2));
      model.box_size = 200;
      expect_same_model(model, small_ic(grid, 2));
    }
  }
}

TEST(InitialConditions, EveryLoadIsThatOfOneRank) {
  ModelOptions model;
  IcOptions ic = small_ic(16, 2);
  ic.load = LoadKind::bcc;
  expect_same_model(model, ic);
  model.kind = ModelKind::box;
  expect_same_model(model, ic);
  ic.load = LoadKind::glass;
  ic.glass_tiles = 2;
  expect_same_model(model, ic);
}

TEST(InitialConditions, SeededModesAndThirdOrderAreThoseOfOneRank) {
  ModelOptions model;
  model.kind = ModelKind::box;
  for (const ModeSource source : {ModeSource::ngenic, ModeSource::gadget4}) {
    IcOptions ic = small_ic(11, 3);
    ic.random = source;
    expect_same_model(model, ic);
  }
}

TEST(InitialConditions, IsolatedModelsAreThoseOfOneRankInEqualShares) {
  for (const ModelKind kind : {ModelKind::plummer, ModelKind::uniform, ModelKind::galaxy, ModelKind::galaxy_pair}) {
    for (const std::uint64_t particles : {1, 3, 10, 5003}) {
      // Galaxies, whose tables take time, at the least number and at a large one.
      const bool pair = kind == ModelKind::galaxy_pair;
      if ((pair || kind == ModelKind::galaxy) && (particles == 10 || particles == (pair ? 1U : 3U))) continue;
      ModelOptions model;
      model.kind = kind;
      model.particles = particles;
      expect_same_model(model, {});
      const std::uint64_t mine = make_model(model, {}, {}, nullptr, world()).particles.size();
      EXPECT_LE(world().max(mine) - world().min(mine), 1U);
    }
  }
  ModelOptions pair;
  pair.kind = ModelKind::two_body;
  expect_same_model(pair, {});
  EXPECT_EQ(make_model(pair, {}, {}, nullptr, world()).particles.size(), world().root() ? 2U : 0U);
}

TEST(InitialConditions, EachRankHoldsItsPencil) {
  ModelOptions model;
  model.kind = ModelKind::box;
  const ParticleSystem mine = make_model(model, small_ic(12, 1), {}, nullptr, world());
  const Pencil pencil(PencilGrid(world().size()), world().rank(), 12);
  for (const std::uint64_t id : mine.particles.id) {
    EXPECT_TRUE(pencil.value_x.contains(static_cast<std::uint32_t>(id / 144)));
    EXPECT_TRUE(pencil.value_y.contains(static_cast<std::uint32_t>(id / 12 % 12)));
  }
  EXPECT_EQ(mine.particles.size(), std::size_t{pencil.value_x.count} * pencil.value_y.count * 12);
}

TEST(InitialConditions, RefusalsReachAllRanksAlike) {
  ModelOptions model;
  const auto refused = [&](const std::string& key, const IcOptions& ic) {
    EXPECT_THROW(
        try { (void)make_model(model, ic, {}, nullptr, world()); } catch (const SharedError& error) {
          EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
          throw;
        },
        SharedError)
        << key;
  };
  refused("ic.grid", small_ic(1, 2));
  refused("ic.lpt_order", small_ic(8, 4));
  IcOptions ic = small_ic(8, 2);
  ic.transfer_file = "/nowhere";
  refused("/nowhere", ic);
  ic = small_ic(8, 2);
  ic.z_start = -1;
  refused("ic.z_start", ic);
  model.radius = -1;
  refused("model.radius", small_ic(8, 2));
  model.kind = ModelKind::uniform;
  refused("model.radius", {});
  model.kind = ModelKind::hubble_lattice;
  model.jitter = 1;
  refused("model.jitter", {});
  model.kind = ModelKind::plummer;
  model.particles = 0;
  refused("model.particles", {});
  model.kind = ModelKind::two_body;
  model.eccentricity = 1;
  refused("model.eccentricity", {});
  model = {};
  model.radius = 3;
  model.box_size = 100;
  refused("holds no particle", small_ic(5, 2));
}

TEST(InitialConditions, EveryRankHearsTheSameProgress) {
  ModelOptions model;
  int calls = 0;
  std::vector<std::string> parts;
  const auto listen = [&](const std::string& part, double fraction) {
    ++calls;
    if (fraction > 1) return;  // a remark
    EXPECT_TRUE(fraction >= 0 && fraction < 1) << fraction;
    if (parts.empty() || parts.back() != part) parts.push_back(part);
  };
  (void)make_model(model, small_ic(8, 2), {}, listen, world());
  EXPECT_EQ(parts, (std::vector<std::string>{"sites", "density field", "second-order source",
                                             "first-order displacements", "second-order displacements"}));
  EXPECT_GT(calls, 10);
  EXPECT_EQ(world().min(calls), world().max(calls));
}

}  // namespace
}  // namespace multiwalk
