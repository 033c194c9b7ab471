// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots that say two things: refused, or told, before gravity is wrong by it.
#include "decomposition/ranks/agree.hpp"
#include "host/base/units.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

class SnapshotContradictions : public testing::Test {
 protected:
  /// A periodic box with `factor` times the mass that omega_m asks for.
  std::string write(double factor = 1) {
    ParticleSystem system = test::random_system(1000, true, Boundary::periodic);
    const double mean = cosmology_.omega_m * units::critical_density * std::pow(system.box_size, 3) / 1000;
    for (float& m : system.particles.mass) m = static_cast<float>(factor * mean);
    return write_snapshot(directory_ / "snapshot_000", system, cosmology_, {}).front();
  }
  static std::string message(const std::string& path) {
    try {
      static_cast<void>(read_snapshot(path));
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  CosmologyParameters cosmology_;
  test::TemporaryDirectory directory_;
};

TEST_F(SnapshotContradictions, OfTwoBoxSizes) {
  const std::string path = write();
  EXPECT_EQ(message(path), "");
  for (const char* group : {"Header", "Parameters"}) {
    const std::string other = write();
    test::edit(other, [&](const hdf5::Object& file) {
      test::replace_attribute(file, group, "BoxSize", std::vector<double>{60000});
    });
    EXPECT_NE(message(other).find("contradict"), std::string::npos) << group << ": " << message(other);
  }
}

TEST_F(SnapshotContradictions, OfTwoCosmologies) {
  for (const char* name : {"Omega0", "OmegaLambda", "HubbleParam"}) {
    const std::string path = write();
    test::edit(path, [&](const hdf5::Object& file) {
      test::replace_attribute(file, "Parameters", name, std::vector<double>{0.77});
    });
    EXPECT_NE(message(path).find(name), std::string::npos) << message(path);
  }
}

TEST_F(SnapshotContradictions, OfTwoMasses) {
  const std::string path = write();
  test::edit(path, [&](const hdf5::Object& file) {
    test::put(*file.group("PartType1"), "Masses", 1, std::vector<float>(1000, 1.0F));
  });
  EXPECT_NE(message(path).find("MassTable and Masses"), std::string::npos) << message(path);
}

TEST_F(SnapshotContradictions, OfMassesAndDensity) {
  const auto excess = [&](double factor) { return read_snapshot(write(factor)); };
  EXPECT_NEAR(excess(1.1).excess_mass, 0.1, 1e-5);
  EXPECT_EQ(judge_masses(excess(1), "file", false), "");
  EXPECT_EQ(judge_masses(excess(1.0009), "file", false), "");
  EXPECT_NE(judge_masses(excess(1.002), "file", false).find("too strong"), std::string::npos);
  EXPECT_NE(judge_masses(excess(0.995), "file", false).find("too weak"), std::string::npos);
  EXPECT_THROW(static_cast<void>(judge_masses(excess(1.1), "file", false)), SharedError);
  EXPECT_THROW(static_cast<void>(judge_masses(excess(0.98), "file", false)), SharedError);
  EXPECT_NE(judge_masses(excess(1.1), "file", true), "");
}

TEST_F(SnapshotContradictions, TheSpacingOfABoxIsItsSideOverTheNumber) {
  const std::string path = write(1.0005);
  test::edit(path, [&](const hdf5::Object& file) { ASSERT_GE(H5Adelete(file.group("Run")->id(), "spacing"), 0); });
  EXPECT_NEAR(read_snapshot(path).system.spacing, 12, 1e-12);
}

}  // namespace
}  // namespace multiwalk
