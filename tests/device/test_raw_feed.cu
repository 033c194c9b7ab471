// SPDX-License-Identifier: GPL-3.0-or-later
// Particles in arrays that the device reads itself have the forces of the same particles in a store, bit for bit.
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "host/base/error.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"
#include "tests/unit/host/force/store_feed.hpp"

namespace multiwalk::device_test {
namespace {

const PairLaw law_of_raw{1, 0.01, MultipoleOrder::quadrupole};

/// With old accelerations, so that one evaluation is enough.
ParticleStore particles_with_pulls(std::size_t n) {
  ParticleStore store = test::plummer(n);
  for (std::size_t i = 0; i < n; ++i) {
    store.id[i] = i;
    const Vec3d pull = -1.0 * store.position[i];
    store.acceleration[i] = {static_cast<float>(pull.x), static_cast<float>(pull.y), static_cast<float>(pull.z)};
  }
  return store;
}

constexpr double pull_of_raw = 8, energy_of_raw = 16;

/// Arrays for results on the device or in page-locked memory.
template <class Point, class Number>
class Destination {
 public:
  Destination(std::size_t n, bool on_device) {
    if (on_device) {
      const Stream stream;
      EXPECT_TRUE(there_.reserve(n, stream) && there_too_.reserve(n, stream));
      check_cuda(cudaStreamSynchronize(stream.get()), "reserving");
      arrays = {there_.data(), there_too_.data(), n};
    } else {
      arrays = {locked_.reserve(n), locked_too_.reserve(n), n};
    }
  }

  ResultArrays arrays;

  /// Forces in internal units.
  void expect_results(const ParticleStore& expected) const {
    const std::size_t n = arrays.size();
    std::vector<Point> a(n);
    std::vector<Number> phi(n);
    check_cuda(cudaMemcpy(a.data(), arrays.acceleration(), n * sizeof(Point), cudaMemcpyDefault), "a copy");
    check_cuda(cudaMemcpy(phi.data(), arrays.potential(), n * sizeof(Number), cudaMemcpyDefault), "a copy");
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3f pull = static_cast<float>(pull_of_raw) * expected.acceleration[i];
      ASSERT_EQ(a[i], (Point{pull.x, pull.y, pull.z})) << i;
      ASSERT_EQ(phi[i], static_cast<Number>(energy_of_raw) * static_cast<Number>(expected.potential[i])) << i;
    }
  }

 private:
  DeviceMemory memory_{0, 0};
  DeviceBuffer<Point> there_{memory_};
  DeviceBuffer<Number> there_too_{memory_};
  PinnedBuffer<Point> locked_;
  PinnedBuffer<Number> locked_too_;
};

/// A feed whose arrays lie in page-locked memory.
class ReachableFeed final : public test::StoreFeed {
 public:
  /// Results go to `to`, if the device can write there.
  ReachableFeed(const ParticleStore& particles, const ResultArrays& to) : StoreFeed(particles) {
    const std::size_t n = particles.size();
    position_.reserve(n), mass_.reserve(n), old_.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      position_.data()[i] = 2.0 * particles.position[i];
      mass_.data()[i] = 0.5 * static_cast<double>(particles.mass[i]);
      old_.data()[i] = 4.0F * particles.acceleration[i];
    }
    raw_.position = std::span<const double>(&position_.data()->x, 3 * n);
    raw_.mass = std::span<const double>(mass_.data(), n);
    raw_.previous = std::span<const float>(&old_.data()->x, 3 * n);
    raw_.length = 0.5, raw_.weight = 2, raw_.old = 0.25;
    raw_.results = to;
    raw_.pull = pull_of_raw, raw_.energy = energy_of_raw;
  }

  RawArrays raw_;
  PinnedBuffer<Vec3f> old_;
  std::optional<FoundNumbers> read_positions, read_masses, read_accelerations;
  int wrote = 0;

  [[nodiscard]] const RawArrays* raw() const override { return &raw_; }
  void found_positions(const FoundNumbers& found) override { read_positions = found; }
  void found_masses(const FoundNumbers& found) override { read_masses = found; }
  void found_accelerations(const FoundNumbers& found) override { read_accelerations = found; }
  void wrote_results(bool finite) override { wrote += finite ? 1 : 100; }
  Box end_positions() override { return read_positions ? read_positions->box : StoreFeed::end_positions(); }
  void end_masses() override {
    if (!read_masses) StoreFeed::end_masses();
  }
  void end_accelerations() override {
    if (!read_accelerations) StoreFeed::end_accelerations();
    if (read_accelerations && !read_accelerations->usable) throw InputError("accelerations");
  }
  [[nodiscard]] std::size_t given() const { return positions + masses + accelerations; }

 private:
  PinnedBuffer<Vec3d> position_;
  PinnedBuffer<double> mass_;
};

/// Whether the device walks, and the criterion.
class RawArraysOfFeeds : public testing::TestWithParam<std::tuple<bool, Mac>> {
 protected:
  void SetUp() override {
    CudaOptions options;
    options.device_walks = std::get<0>(GetParam());
    backend_ = backend_or_null(options);
    if (!backend_) GTEST_SKIP() << "no CUDA device";
    options_.mac = std::get<1>(GetParam());
  }

  std::unique_ptr<ForceBackend> backend_;
  GravityOptions options_;
};

TEST_P(RawArraysOfFeeds, AreReadByTheDevice) {
  GravitySolver solver(options_, *backend_);
  for (const std::size_t n : {30000UL, 200001UL}) {
    const ParticleStore given = particles_with_pulls(n);
    ParticleStore expected = given;
    solver.accelerate(expected, law_of_raw);
    expected = test::in_order_of_ids(expected);
    const Destination<Vec3d, double> to(n, true);
    ReachableFeed feed(given, to.arrays);
    ParticleStore store = test::blank_store(n);
    ForceContext context;
    context.feed = &feed;
    for (int again = 1; again <= 2; ++again) {
      solver.accelerate(store, law_of_raw, context);
      EXPECT_EQ(feed.given() + feed.taken, 0U);
      EXPECT_EQ(feed.wrote, again);
    }
    EXPECT_TRUE(feed.read_positions->usable && feed.read_masses->usable);
    EXPECT_EQ(feed.read_positions->box.lo, bounding_box(given.position).lo);
    double mass = 0;
    for (const float m : given.mass) mass += 0.5 * static_cast<double>(m);
    EXPECT_NEAR(feed.read_masses->mass, mass, 1e-12 * mass);
    to.expect_results(expected);
    if (!options_.relative()) continue;
    const Vec3f last = std::exchange(feed.old_.data()[n - 1], Vec3f{0, std::nanf(""), 0});
    EXPECT_THROW(solver.accelerate(store, law_of_raw, context), InputError);
    feed.old_.data()[n - 1] = last;
    solver.accelerate(store, law_of_raw, context);
    EXPECT_EQ(feed.wrote, 3);
  }
}

template <class Point, class Number>
void expect_written(GravitySolver& solver, const ParticleStore& given, const ParticleStore& expected, bool on_device) {
  const Destination<Point, Number> to(given.size(), on_device);
  ReachableFeed feed(given, to.arrays);
  ParticleStore store = test::blank_store(given.size());
  ForceContext context;
  context.feed = &feed;
  solver.accelerate(store, law_of_raw, context);
  EXPECT_EQ(feed.wrote, 1);
  EXPECT_EQ(feed.taken, 0U);
  to.expect_results(expected);
}

/// In two pieces, to the host's page-locked memory or the device's own, in both precisions.
TEST_P(RawArraysOfFeeds, TakeTheResults) {
  GravitySolver solver(options_, *backend_);
  const ParticleStore given = particles_with_pulls(1200000);
  ParticleStore expected = given;
  solver.accelerate(expected, law_of_raw);
  expected = test::in_order_of_ids(expected);
  for (const bool on_device : {false, true}) {
    expect_written<Vec3d, double>(solver, given, expected, on_device);
    expect_written<Vec3f, float>(solver, given, expected, on_device);
  }
}

TEST_P(RawArraysOfFeeds, AreLeftToTheHostWhereTheDeviceCannotReadThem) {
  const ParticleStore given = particles_with_pulls(30000);
  ParticleStore expected = given;
  GravitySolver solver(options_, *backend_);
  solver.accelerate(expected, law_of_raw);
  expected = test::in_order_of_ids(expected);
  std::vector<Vec3d> acceleration(given.size());  // in plain memory
  std::vector<double> potential(given.size());
  ReachableFeed feed(given, {acceleration.data(), potential.data(), given.size()});
  const std::vector<double> mass(given.size(), 1.0);
  feed.raw_.mass = std::span<const double>(mass);
  ParticleStore store = test::blank_store(given.size());
  ForceContext context;
  context.feed = &feed;
  solver.accelerate(store, law_of_raw, context);
  EXPECT_FALSE(feed.read_positions || feed.read_masses || feed.read_accelerations);
  EXPECT_EQ(feed.wrote, 0);
  EXPECT_EQ(feed.taken, given.size());
  EXPECT_EQ(feed.results.acceleration, expected.acceleration);
}

INSTANTIATE_TEST_SUITE_P(Walks, RawArraysOfFeeds,
                         testing::Combine(testing::Bool(), testing::Values(Mac::barnes90, Mac::relative)));

}  // namespace
}  // namespace multiwalk::device_test
