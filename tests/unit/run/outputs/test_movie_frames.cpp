// SPDX-License-Identifier: GPL-3.0-or-later
// The times of a movie's frames, and what they show between snapshots.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "run/outputs/movie_frames.hpp"
#include "run/outputs/particle_paths.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

TEST(MovieFrames, AreEvenlySpacedInTimeOrLnA) {
  const std::vector<double> times = frame_times(Frame::newtonian, 2, 8, 4);
  ASSERT_EQ(times.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(times[i], 2 + 2 * static_cast<double>(i));
  const std::vector<double> factors = frame_times(Frame::comoving, 0.0625, 1, 5);
  ASSERT_EQ(factors.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(factors[i], 0.0625 * std::pow(2, i));
}

/// A grain at x = y = z, and four that rest and make the picture the same size at all times.
SnapshotInfo movie_snapshot(Frame frame, double time, double place, std::uint64_t first_id) {
  SnapshotInfo info;
  ParticleSystem& system = info.system;
  system.frame = frame;
  system.time = time;
  system.particles.resize(5);
  const Vec3d places[]{{place, place, place}, {-9, -9, 0}, {9, -9, 0}, {-9, 9, 0}, {9, 9, 0}};
  for (std::size_t i = 0; i < 5; ++i) {
    system.particles.position[i] = places[i];
    system.particles.velocity[i] = {0, 0, 0};
    system.particles.mass[i] = 1;
    system.particles.id[i] = first_id + i;
  }
  if (frame == Frame::newtonian) system.particles.velocity[0] = {2, 2, 2};
  return info;
}

class Movies : public testing::Test {
 protected:
  /// The frames of a movie between the snapshots, which may be followed or not.
  std::vector<std::string> frames(std::uint32_t number, bool followed) const {
    std::vector<std::string> names;
    for (const auto& [name, info] : snapshots_) names.push_back(name);
    const auto read = [&](const std::string& name) {
      SnapshotInfo info;
      info.system = snapshots_.at(name).system;
      return info;
    };
    EXPECT_EQ(
        draw_movie(
            {names, number, directory_.path()}, read, [&](const SnapshotInfo&) { return view_; }, [](std::size_t) {}),
        followed);
    std::vector<std::string> pictures;
    for (std::uint32_t i = 0; i < number; ++i) pictures.push_back(test::read_bytes(frame_path(directory_.path(), i)));
    EXPECT_FALSE(std::filesystem::exists(frame_path(directory_.path(), number)));
    return pictures;
  }
  std::string drawn(const ParticleSystem& system) const {
    const auto png = draw_system(system, view_);
    return {reinterpret_cast<const char*>(png.data()), png.size()};
  }

  test::TemporaryDirectory directory_;
  std::map<std::string, SnapshotInfo> snapshots_;
  View view_{.pixels = 40, .extent = {20, 20, 20}, .centre = Vec3d{0, 0, 0}, .style = {.scale = ColourScale{}}};
};

/// The grain moves by 2 in a unit of time, from -6 at t = 1 to 6 at t = 7, past the snapshot at t = 3.
TEST_F(Movies, ShowParticlesWhereTheyAreAtTheirTimes) {
  for (const double time : {1.0, 3.0, 7.0}) {
    snapshots_.emplace(std::to_string(time), movie_snapshot(Frame::newtonian, time, 2 * time - 8, 1));
  }
  const std::vector<std::string> pictures = frames(5, true);
  for (std::size_t i = 0; i < 5; ++i) {
    const double time = 1 + 1.5 * static_cast<double>(i);
    EXPECT_EQ(pictures[i], drawn(movie_snapshot(Frame::newtonian, time, 2 * time - 8, 1).system)) << i;
  }
}

/// Frames at a = 0.25, 0.397, 0.63 and 1: two lie nearer to each end.
TEST_F(Movies, ShowTheNearerOfSnapshotsWithOtherParticles) {
  snapshots_.emplace("a", movie_snapshot(Frame::comoving, 0.25, -4, 1));
  snapshots_.emplace("b", movie_snapshot(Frame::comoving, 1, 4, 100));
  const std::vector<std::string> pictures = frames(4, false);
  const std::string first = drawn(snapshots_.at("a").system), last = drawn(snapshots_.at("b").system);
  ASSERT_NE(first, last);
  EXPECT_EQ(pictures, (std::vector<std::string>{first, first, last, last}));
}

}  // namespace
}  // namespace multiwalk
