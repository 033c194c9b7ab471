// SPDX-License-Identifier: GPL-3.0-or-later
// Groups among the particles of a light cone: whole in however many slices and over however many ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "run/sky/cone_halos.hpp"
#include "run/sky/cone_rows.hpp"
#include "tests/mpi/world.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

constexpr double far = 300, linking = 0.5;

struct Clump {
  Vec3d centre;
  std::uint64_t number;
};

/// Clumps of 20 to 79 particles at distances from 5 to 305, a line of 400 particles along the line of sight and
/// particles without friends.
struct Cone {
  std::vector<Clump> clumps;
  std::vector<ConeRow> rows;

  Cone() {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (int c = 0; c < 60; ++c) {
      const double height = -0.9 + 0.03 * c, angle = 2.4 * c, across = std::sqrt(1 - height * height);
      const Vec3d centre =
          (5.0 + 5 * c + (c % 7) * 0.1) * Vec3d{across * std::cos(angle), across * std::sin(angle), height};
      const std::uint64_t number = 20 + static_cast<std::uint64_t>(c);
      for (std::uint64_t i = 0; i < number; ++i) add(centre + 0.12 * Vec3d{unit(random), unit(random), unit(random)});
      clumps.push_back({centre, number});
    }
    for (int i = 0; i < 400; ++i) add({0, 0, 100 + 0.2 * i});
    clumps.push_back({{0, 0, 139.9}, 400});
    for (int i = 0; i < 3000; ++i) add(far * Vec3d{0.6 * unit(random), 0.6 * unit(random), -0.5});
  }
  void add(Vec3d at) {
    const auto copies = static_cast<std::uint64_t>(rows.size() % 7);  // ids that copies of a box share
    rows.push_back({at, 0.25, copies, {100, 0, static_cast<float>(rows.size() % 2)}, 2});
  }
};

std::vector<Halo> find(const Cone& cone, const std::string& directory, std::uint64_t at_once) {
  const Communicator& comm = world();
  const auto rank = static_cast<std::size_t>(comm.rank()), ranks = static_cast<std::size_t>(comm.size());
  ConePart part{cone_rows_path(directory, rank), 0};
  {
    ConeRows rows(part.path, {});
    for (std::size_t i = rank; i < cone.rows.size(); i += ranks) rows.add(cone.rows[i]);
    rows.sync();
    part.rows = rows.stored().rows;
  }
  return find_cone_halos(std::span<const ConePart>(&part, 1), {0, far, linking, 30, at_once, 5}, comm);
}

TEST(ConeHalos, AreWholeInAnySlices) {
  const Cone cone;
  const test::TemporaryDirectory directory;  // each rank has its own
  std::vector<Clump> expected;
  for (const Clump& clump : cone.clumps) {
    if (clump.number >= 30 && norm(clump.centre) < far) expected.push_back(clump);
  }
  std::ranges::sort(expected, std::ranges::less{}, [](const Clump& c) { return norm(c.centre); });
  for (const std::uint64_t at_once : {100000, 1000, 200}) {
    const std::vector<Halo> halos = find(cone, directory.path(), at_once);
    if (!world().root()) {
      EXPECT_TRUE(halos.empty());
      continue;
    }
    ASSERT_EQ(halos.size(), expected.size()) << at_once;
    std::size_t long_ones = 0;
    for (const Halo& halo : halos) {
      const auto same = std::ranges::min_element(expected, std::ranges::less{},
                                                 [&](const Clump& c) { return norm(c.centre - halo.centre_of_mass); });
      EXPECT_LT(norm(same->centre - halo.centre_of_mass), 0.1);
      EXPECT_EQ(halo.number, same->number) << at_once;
      EXPECT_NEAR(halo.mass, 2.0 * static_cast<double>(same->number), 1e-9);
      EXPECT_NEAR(halo.velocity.x, 50, 1e-4);  // sqrt(a) 100
      long_ones += halo.number == 400 ? 1 : 0;
    }
    EXPECT_EQ(long_ones, 1U);
  }
}

TEST(ConeHalos, AConeWithoutParticlesHasNone) {
  Cone cone;
  cone.rows.clear();
  const test::TemporaryDirectory directory;
  EXPECT_TRUE(find(cone, directory.path(), 100).empty());
}

}  // namespace
}  // namespace multiwalk
