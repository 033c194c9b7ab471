// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh force of the device against the host's in double precision.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "decomposition/mesh/mesh_force.hpp"
#include "host/force/backend_services.hpp"
#include "tests/device/kept/ranks_of_threads.hpp"
#include "tests/device/mesh_cases.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk::device_test {
namespace {

std::optional<MeshForces> forces_of(ForceBackend& backend, ParticleStore store, const PairLaw& law,
                                    const MeshForceOptions& options) {
  std::ranges::fill(store.acceleration, Vec3f{});
  std::ranges::fill(store.potential, 0.0F);
  if (!backend.mesh()->add_mesh_force(store, law, options, nullptr)) return std::nullopt;
  return MeshForces{{store.acceleration.begin(), store.acceleration.end()},
                    {store.potential.begin(), store.potential.end()}};
}

class MeshOnDevice : public testing::TestWithParam<MeshForceOptions> {};

TEST_P(MeshOnDevice, IsThatOfTheHost) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const MeshForceOptions options = GetParam();
  const ParticleStore store = clustered(20000);
  const PairLaw law = law_of(options.split_scale);
  std::vector<Vec3f> acceleration(store.size());
  std::vector<float> potential(store.size());
  mesh_force({store.position, store.mass, mesh_side}, law.gravitational_constant, options, acceleration, potential);
  const MeshForces host{acceleration, potential};
  const std::optional<MeshForces> found = forces_of(*cuda, store, law, options);
  const std::optional<MeshForces> again = forces_of(*cuda, store, law, options);
  ASSERT_TRUE(found && again);
  const MeshForces& device = *found;
  EXPECT_EQ(device.acceleration, again->acceleration);
  EXPECT_EQ(device.potential, again->potential);
  double size2 = 0, worst = 0, depth = 0, worst_potential = 0;
  for (std::size_t i = 0; i < store.size(); ++i) {
    size2 += norm2(Vec3d(host.acceleration[i])) / static_cast<double>(store.size());
    worst = larger_error(worst, norm(Vec3d(host.acceleration[i]) - Vec3d(device.acceleration[i])));
    depth = std::max(depth, std::fabs(static_cast<double>(host.potential[i])));
    worst_potential =
        larger_error(worst_potential, std::fabs(static_cast<double>(host.potential[i] - device.potential[i])));
  }
  std::printf("device and host differ by %.2e of the rms pull, %.2e of the deepest potential\n",
              worst / std::sqrt(size2), worst_potential / depth);
  EXPECT_LT(worst, 4e-6 * std::sqrt(size2));
  EXPECT_LT(worst_potential, 1e-6 * depth);
}

/// Of four ranks one has no particles and another nearly all.
TEST_P(MeshOnDevice, OfSeveralRanksIsThatOfOneRank) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const MeshForceOptions options = GetParam();
  const PairLaw law = law_of(options.split_scale);
  const ParticleStore all = clustered(20000);
  const std::optional<MeshForces> alone = forces_of(*cuda, all, law, options);
  ASSERT_TRUE(alone);
  constexpr std::size_t ranks = 4, ends[ranks + 1] = {0, 300, 300, 19000, 20000};
  for (const bool on_one_host : {true, false}) {
    test::SharedBoard board(ranks, on_one_host);
    test::on_ranks(ranks, [&](std::size_t rank) {
      test::ThreadTrees trees(board, rank);
      const auto backend = backend_or_null();
      ParticleStore own = part_of(all, ends[rank], ends[rank + 1]);
      ASSERT_TRUE(backend->mesh()->add_mesh_force(own, law, options, trees.exchange()));
      for (std::size_t i = 0; i < own.size(); ++i) {
        ASSERT_EQ(own.acceleration[i], alone->acceleration[ends[rank] + i]);
        ASSERT_EQ(own.potential[i], alone->potential[ends[rank] + i]);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeshOnDevice, testing::ValuesIn(mesh_cases));

TEST(DeviceMesh, LeavesToTheHostWhatItCannotDo) {
  CudaOptions little;
  little.memory_limit = 8 << 20;
  const auto cuda = backend_or_null(), small = backend_or_null(little);
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  ParticleStore store = clustered(1000);
  MeshForceOptions options{64, 0.1};
  EXPECT_TRUE(small->mesh()->add_mesh_force(store, law_of(0.1), options, nullptr));
  options.cells = 128;
  store.acceleration[0] = {7, 7, 7};
  EXPECT_FALSE(small->mesh()->add_mesh_force(store, law_of(0.1), options, nullptr));
  EXPECT_EQ(store.acceleration[0], (Vec3f{7, 7, 7}));
  EXPECT_TRUE(cuda->mesh()->add_mesh_force(store, law_of(0.1), options, nullptr));
  options.assignment = Assignment::tsc;
  EXPECT_FALSE(cuda->mesh()->add_mesh_force(store, law_of(0.1), options, nullptr));
  options.assignment = Assignment::pcs;
  store.mass[3] = INFINITY;
  EXPECT_FALSE(cuda->mesh()->add_mesh_force(store, law_of(0.1), options, nullptr));
}

TEST(DeviceMesh, IsLeftToTheHostByAllRanksIfOneCannot) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  test::SharedBoard board(2);
  test::on_ranks(2, [&](std::size_t rank) {
    test::ThreadTrees trees(board, rank);
    CudaOptions little;
    little.memory_limit = rank == 1 ? 8 << 20 : 0;
    const auto backend = backend_or_null(little);
    ParticleStore store = clustered(1000);
    store.acceleration[0] = {7, 7, 7};
    EXPECT_FALSE(backend->mesh()->add_mesh_force(store, law_of(0.1), {128, 0.1}, trees.exchange()));
    EXPECT_EQ(store.acceleration[0], (Vec3f{7, 7, 7}));
  });
}

TEST(DeviceMesh, AddsToEveryParticle) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const MeshForceOptions options{32, 0.15};
  const ParticleStore few = clustered(1000);
  ParticleStore many;  // their copies, of together the same mass
  constexpr std::size_t copies = 2500;
  many.resize(copies * few.size());
  for (std::size_t i = 0; i < many.size(); ++i) {
    many.position[i] = few.position[i % few.size()];
    many.mass[i] = few.mass[i % few.size()] / copies;
    many.acceleration[i] = {static_cast<float>(i % 5), 2, 3};
  }
  const std::optional<MeshForces> alone = forces_of(*cuda, few, law_of(0.15), options);
  ASSERT_TRUE(alone && cuda->mesh()->add_mesh_force(many, law_of(0.15), options, nullptr));
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < many.size(); ++i) {
    const Vec3d added = Vec3d(many.acceleration[i]) - Vec3d{static_cast<double>(i % 5), 2, 3};
    worst = larger_error(worst, norm(added - Vec3d(alone->acceleration[i % few.size()])));
    largest = std::max(largest, norm(added));
  }
  EXPECT_LT(worst, 1e-5 * largest);
}

}  // namespace
}  // namespace multiwalk::device_test
