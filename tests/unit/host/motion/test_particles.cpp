// SPDX-License-Identifier: GPL-3.0-or-later
// Particles move, and can be read, wherever they are. The keeper of these tests makes what is out of date in the store
// NaN.
#include <gtest/gtest.h>

#include <cmath>

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
    particles.kick_and_drift(0.3, 0.1, 0.5);
    EXPECT_EQ(std::isnan(particles.identities().position[7].x), on_device) << "the store is out of date";
    expect_moved(particles.motion_on_host().particles);
    EXPECT_EQ(std::isnan(particles.identities().potential[7]), on_device) << "only the motion was copied";
    EXPECT_EQ(particles.on_host().particles.potential, system().particles.potential);
    expect_moved(particles.on_host().particles);
    EXPECT_EQ(particles.on_device(), on_device) << "reading leaves them there";
  }
}

TEST_F(ParticlesOnADevice, ComeHomeToBeChanged) {
  Particles particles(system(), backend_);
  ASSERT_TRUE(particles.stay_on_device());
  particles.kick_and_drift(0.3, 0.1, 0.5);
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
    particles.drift(0.5);
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

TEST_F(ParticlesOnADevice, MeasureThereOnlyWhatTheDeviceCan) {
  Particles particles(system(), backend_);
  EXPECT_FALSE(particles.kick_and_sum_on_device(0.1, 0)) << "nobody keeps them";
  EXPECT_EQ(particles.on_host().particles.velocity, system().particles.velocity);
  EXPECT_EQ(particles.sky_counter(), nullptr);
  EXPECT_EQ(particles.find_passing({}), nullptr);
  EXPECT_FALSE(particles.view().sum_shells({}));
  EXPECT_EQ(particles.largest_pull(0), largest_acceleration(system().particles, 0));
}

}  // namespace
}  // namespace multiwalk
