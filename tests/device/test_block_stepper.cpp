// SPDX-License-Identifier: GPL-3.0-or-later
// Block steps that the device makes by itself against those that the host makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "device/base/devices.hpp"
#include "device/direct/cuda_block_stepper.hpp"
#include "host/base/error.hpp"
#include "ic/models/plummer.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

/// On the first device that works; null if there is none.
std::unique_ptr<BlockStepper> stepper_or_null() {
  std::string why;
  for (const DeviceDescription& device : find_devices(why)) {
    if (device.fault.empty()) return make_cuda_block_stepper(device.number);
  }
  return nullptr;
}

DirectOptions block_options(Accumulation accumulation, double softening) {
  DirectOptions options;
  options.max_step = 1.0 / 16;
  options.softening = softening;
  options.precision = {accumulation, Splitting::hi_lo};
  return options;
}

bool same(const Bodies& a, const Bodies& b) {
  return a.position == b.position && a.velocity == b.velocity && a.acceleration == b.acceleration && a.jerk == b.jerk &&
         a.potential == b.potential;
}

/// Largest difference of places and velocities.
double distance(const Bodies& a, const Bodies& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max({largest, norm(a.position[i] - b.position[i]), norm(a.velocity[i] - b.velocity[i])});
  }
  return largest;
}

/// A cluster, its pairs on the host in double precision; `stepper` null: its steps too.
struct SteppedCluster {
  SteppedCluster(std::size_t n, const DirectOptions& options, BlockStepper* stepper)
      : SteppedCluster(make_plummer_bodies(n, 7), options, stepper) {}
  SteppedCluster(Bodies bodies, const DirectOptions& options, BlockStepper* stepper)
      : integrator(make_direct_integrator(options, std::move(bodies), {}, forces, stepper)) {}
  std::unique_ptr<DirectBackend> backend = make_simd_direct_backend();
  LocalForces forces{*backend};
  std::unique_ptr<DirectIntegrator> integrator;
};

struct StepperCase {
  Accumulation accumulation;
  double softening;
  double tolerance;  ///< of places and velocities
  double steps;      ///< the same of their number: the criterion magnifies rounding
};

class BlockStepperOnDevice : public testing::TestWithParam<StepperCase> {
 protected:
  void SetUp() override {
    stepper_ = stepper_or_null();
    if (!stepper_) GTEST_SKIP() << "no CUDA device";
  }
  std::unique_ptr<BlockStepper> stepper_;
};

TEST_P(BlockStepperOnDevice, MakesTheStepsOfTheHost) {
  const StepperCase c = GetParam();
  for (const std::size_t n : {2, 21, 300, 2500}) {
    DirectOptions options = block_options(c.accumulation, c.softening);
    SteppedCluster there(n, options, stepper_.get());
    options.precision.accumulation = Accumulation::full;
    SteppedCluster here(n, options, nullptr);
    for (SteppedCluster* cluster : {&there, &here}) cluster->integrator->advance(options.max_step);
    const auto steps = [](const SteppedCluster& cluster) {
      return static_cast<double>(cluster.integrator->counts().body_steps);
    };
    EXPECT_LT(distance(there.integrator->bodies(), here.integrator->bodies()), c.tolerance) << n;
    EXPECT_NEAR(steps(there), steps(here), c.steps * steps(here)) << n;
    EXPECT_TRUE(there.integrator->synchronised());
    EXPECT_EQ(there.forces.counts().pairs, n * n + n * there.integrator->counts().body_steps);
    for (std::size_t i = 0; i < n; i += 7) {
      EXPECT_NEAR(there.integrator->bodies().potential[i], here.integrator->bodies().potential[i],
                  std::max(c.tolerance, 1e-6) * std::fabs(here.integrator->bodies().potential[i]));
    }
  }
}

/// Single precision would not resolve the others, so the device makes their steps in double precision.
TEST_P(BlockStepperOnDevice, ABodyFarAwayLeavesTheOthersSteps) {
  const StepperCase c = GetParam();
  Bodies bodies = make_plummer_bodies(300, 7);
  bodies.position[0] = {1e12, 0, 0};
  bodies.velocity[0] = {};
  bodies.mass[0] = 1e-12;
  DirectOptions options = block_options(c.accumulation, c.softening);
  SteppedCluster there(bodies, options, stepper_.get());
  options.precision.accumulation = Accumulation::full;
  SteppedCluster here(bodies, options, nullptr);
  for (SteppedCluster* cluster : {&there, &here}) cluster->integrator->advance(options.max_step);
  EXPECT_LT(distance(there.integrator->bodies(), here.integrator->bodies()), 1e-10);
}

TEST_P(BlockStepperOnDevice, PiecesAreTheWhole) {
  const StepperCase c = GetParam();
  const DirectOptions options = block_options(c.accumulation, c.softening);
  SteppedCluster whole(700, options, stepper_.get()), pieces(700, options, stepper_.get());
  whole.integrator->advance(0.125);
  std::uint64_t calls = 0;
  for (; pieces.integrator->time() < 0.125; ++calls) {
    EXPECT_LE(pieces.integrator->steps(0.125, 5), 5U);
    if (calls % 3 == 0) {  // a restart
      pieces.integrator = make_direct_integrator(options, pieces.integrator->bodies(), pieces.integrator->state(),
                                                 pieces.forces, stepper_.get());
    }
  }
  EXPECT_GT(calls, 10U);
  EXPECT_TRUE(pieces.integrator->synchronised());
  EXPECT_TRUE(same(whole.integrator->bodies(), pieces.integrator->bodies()));
  EXPECT_EQ(whole.integrator->state().rung, pieces.integrator->state().rung);
}

INSTANTIATE_TEST_SUITE_P(All, BlockStepperOnDevice,
                         testing::Values(StepperCase{Accumulation::full, 0.01, 1e-11, 0},
                                         StepperCase{Accumulation::full, 0, 1e-10, 0},
                                         StepperCase{Accumulation::mixed, 0.01, 1e-6, 0.01},
                                         StepperCase{Accumulation::mixed, 0, 1e-5, 0.01}));

TEST(BlockStepperFaults, AForceThatIsNotFiniteEndsItAndChangesNothing) {
  const auto stepper = stepper_or_null();
  if (!stepper) GTEST_SKIP() << "no CUDA device";
  SteppedCluster cluster(50, block_options(Accumulation::full, 0), stepper.get());
  cluster.integrator->steps(0.25, 3);
  Bodies bodies = cluster.integrator->bodies();
  bodies.mass[7] = std::numeric_limits<double>::infinity();
  DirectState state = cluster.integrator->state();
  const Bodies before = bodies;
  EXPECT_THROW(stepper->steps(block_options(Accumulation::full, 0), bodies, state, no_end), Error);
  EXPECT_TRUE(same(before, bodies));
  EXPECT_EQ(state.tick, cluster.integrator->state().tick);
}

TEST(BlockStepperFaults, TakesWhatItKnowsOnly) {
  const auto stepper = stepper_or_null();
  if (!stepper) GTEST_SKIP() << "no CUDA device";
  const DirectOptions options = block_options(Accumulation::mixed, 0);
  EXPECT_TRUE(stepper->takes(options, 8192));
  EXPECT_FALSE(stepper->takes(options, 1 << 20));
  DirectOptions twice = options, shared = options, plain = options, single = options;
  twice.iterations = 2;
  shared.steps = DirectSteps::shared;
  plain.precision.accumulation = Accumulation::plain;
  single.precision.splitting = Splitting::single;
  for (const DirectOptions& other : {twice, shared, plain, single}) EXPECT_FALSE(stepper->takes(other, 8192));
}

}  // namespace
}  // namespace multiwalk::device_test
