// SPDX-License-Identifier: GPL-3.0-or-later
// Particles move, and can be read, wherever they are. The keeper of these tests makes what is out of date in the store
// NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "host/motion/particles.hpp"
#include "host/time/leapfrog.hpp"
#include "host/time/step_control.hpp"
#include "tests/support/growing_backend.hpp"
#include "tests/support/keepers/host_keeper.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

class ParticlesOnADevice : public testing::Test {
 protected:
  ParticlesOnADevice() { backend_.keeper = &keeper_; }

  static ParticleSystem system() {
    ParticleSystem system;
    system.frame = Frame::newtonian;
    system.particles = test::plummer(100);
    for (std::size_t i = 0; i < system.particles.size(); ++i) system.particles.potential[i] = -1.0F - 0.01F * float(i);
    return system;
  }
  static void expect_moved(const ParticleStore& found) {
    ParticleStore expected = system().particles;
    kick_and_drift(expected, 0.3, 0.1, 0.5);
    EXPECT_EQ(found.position, expected.position);
    EXPECT_EQ(found.velocity, expected.velocity);
    EXPECT_EQ(found.id, expected.id);
  }

  test::HostKeeper keeper_;
  test::GrowingBackend backend_;
};

TEST_F(ParticlesOnADevice, AreReadAsOnTheHost) {
  for (const bool on_device : {false, true}) {
    Particles particles(system(), backend_);
    keeper_.refuses = !on_device;
    EXPECT_EQ(particles.stay_on_device(), on_device);
    EXPECT_EQ(particles.on_device(), on_device);
    EXPECT_EQ(particles.view().on_device(), on_device);
    particles.move(KickAndDrift{0.3, 0.1, 0.5});
    EXPECT_EQ(std::isnan(particles.identities().position[7].x), on_device) << "the store is out of date";
    expect_moved(particles.view().motion_on_host().particles);
    EXPECT_EQ(std::isnan(particles.identities().potential[7]), on_device) << "only the motion was copied";
    EXPECT_EQ(particles.view().on_host().particles.potential, system().particles.potential);
    expect_moved(particles.on_host().particles);
    EXPECT_EQ(particles.on_device(), on_device) << "reading leaves them there";
  }
}

TEST_F(ParticlesOnADevice, ComeHomeToBeChanged) {
  Particles particles(system(), backend_);
  ASSERT_TRUE(particles.stay_on_device());
  particles.move(KickAndDrift{0.3, 0.1, 0.5});
  ParticleStore& store = particles.come_home();
  EXPECT_FALSE(particles.on_device());
  expect_moved(store);
  store.position[3] = {1, 2, 3};
  EXPECT_EQ(particles.on_host().particles.position[3], (Vec3d{1, 2, 3}));
}

TEST_F(ParticlesOnADevice, AreForgottenForOthers) {
  {
    Particles particles(system(), backend_);
    ASSERT_TRUE(particles.stay_on_device());
    particles.move(DriftAlone{0.5});
    ParticleSystem others = system();
    others.time = 3;
    particles.replace(std::move(others));
    EXPECT_FALSE(particles.on_device());
    EXPECT_EQ(particles.facts().time, 3);
    EXPECT_EQ(particles.on_host().particles.position, system().particles.position);
    ASSERT_TRUE(particles.stay_on_device());
    EXPECT_EQ(keeper_.times_kept, 2);
  }
  Particles next(system(), backend_);
  EXPECT_TRUE(next.stay_on_device()) << "those that are gone are not kept";
}

TEST_F(ParticlesOnADevice, AreGivenAwayFromThere) {
  Particles particles(system(), backend_);
  ASSERT_TRUE(particles.stay_on_device());
  particles.move(KickAndDrift{0.3, 0.1, 0.5});
  const ParticleView view = particles.view();
  expect_moved(particles.release().particles);
  EXPECT_FALSE(view.on_device());
  EXPECT_EQ(view.size(), 0U);
}

TEST_F(ParticlesOnADevice, MeasureThereOnlyWhatTheDeviceCan) {
  Particles particles(system(), backend_);
  EXPECT_FALSE(particles.kick_and_sum_on_device(0.1, 0)) << "nobody keeps them";
  EXPECT_EQ(particles.on_host().particles.velocity, system().particles.velocity);
  EXPECT_EQ(particles.sky_counter(), nullptr);
  EXPECT_EQ(particles.find_passing({}), nullptr);
  EXPECT_FALSE(particles.view().sum_shells({}, nullptr));
  EXPECT_EQ(particles.largest_pull(0), largest_acceleration(system().particles, 0));
}

/// A particle on rung 0 and one on rung 1, which are equal otherwise, after a motion at home.
ParticleStore moved(const Motion& motion) {
  ParticleSystem system;
  system.particles.resize(2);
  system.particles.set_rungs(true);
  for (const std::size_t i : {0, 1}) {
    system.particles.position[i] = {1, 2, 3};
    system.particles.velocity[i] = {10, 20, 30};
    system.particles.acceleration[i] = {0.5F, 0.25F, -1};
    system.particles.long_range[i] = {0.25F, 0, 1};
    system.particles.rung[i] = static_cast<std::uint8_t>(i);
  }
  test::GrowingBackend backend;
  Particles particles(std::move(system), backend);
  particles.move(motion);
  return particles.release().particles;
}

TEST(ParticlesAtHome, MoveAsEachMotionSays) {
  ParticleStore after = moved(KickAndDrift{2, 0.5, 0.125});
  EXPECT_EQ(after.velocity[0], (Vec3f{12, 22.5F, 31}));
  EXPECT_EQ(after.position[0], (Vec3d{2.5, 4.8125, 6.875}));
  after = moved(DriftAlone{0.5});
  EXPECT_EQ(after.velocity[0], (Vec3f{10, 20, 30}));
  EXPECT_EQ(after.position[0], (Vec3d{6, 12, 18}));
  EXPECT_EQ(moved(WrapIntoBox{2.5}).position[1], (Vec3d{1, 2, 0.5}));
  after = moved(KickRungs{{9, 2}, 0.5, 1});
  EXPECT_EQ(after.velocity[0], (Vec3f{10, 20, 30})) << "its step goes on";
  EXPECT_EQ(after.velocity[1], (Vec3f{11.5F, 22.5F, 29}));
  EXPECT_EQ(after.position[1], (Vec3d{1, 2, 3}));
  EXPECT_EQ(moved(KickLongRange{4}).velocity[1], (Vec3f{11, 20, 34}));
}

}  // namespace
}  // namespace multiwalk
