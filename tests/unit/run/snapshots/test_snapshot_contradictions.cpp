// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots that contradict themselves: refused, or a warning, before gravity is wrong.
#include <cmath>
#include <numbers>

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
  /// A sphere of about 1000 particles with `factor` times the mass that omega_m asks for.
  std::string write_sphere(double factor) {
    ParticleSystem system = test::random_system(1000);
    const double volume = 4 * std::numbers::pi / 3 * std::pow(system.sphere_radius, 3);
    system.spacing = std::cbrt(volume / 1000);
    for (float& m : system.particles.mass) {
      m = static_cast<float>(factor * cosmology_.omega_m * units::critical_density * volume / 1000);
    }
    return write_snapshot(directory_ / "sphere", system, cosmology_, {}).front();
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

/// /Header and /Parameters, as other codes read them, agree on a box that differs from the program's own /Run.
TEST_F(SnapshotContradictions, OfTheHeadersBoxAndTheRuns) {
  const std::string path = write();
  test::edit(path, [&](const hdf5::Object& file) {
    for (const char* group : {"Header", "Parameters"}) {
      test::replace_attribute(file, group, "BoxSize", std::vector<double>{60000});
    }
  });
  EXPECT_NE(message(path).find("box_size of /Run = 120 contradict"), std::string::npos) << message(path);
}

TEST_F(SnapshotContradictions, OfTwoCosmologies) {
  const std::pair<const char*, const char*> places[] = {{"Parameters", "Omega0"},      {"Parameters", "OmegaLambda"},
                                                        {"Parameters", "OmegaBaryon"}, {"Parameters", "HubbleParam"},
                                                        {"Cosmology", "omega_m"},      {"Cosmology", "omega_lambda"},
                                                        {"Cosmology", "omega_b"},      {"Cosmology", "h"}};
  for (const auto& [group, name] : places) {
    const std::string path = write();
    test::edit(path, [&, group = group, name = name](const hdf5::Object& file) {
      test::replace_attribute(file, group, name, std::vector<double>{0.77});
    });
    const std::string what = std::string(name) + " of /" + group + " = 0.77 contradict";
    EXPECT_NE(message(path).find(what), std::string::npos) << message(path);
  }
}

TEST_F(SnapshotContradictions, OfTwoSetsOfUnits) {
  for (const char* name : {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s"}) {
    const std::string path = write();
    test::edit(path, [&](const hdf5::Object& file) {
      test::replace_attribute(file, "Units", name, std::vector<double>{1e5 + 1});
    });
    EXPECT_NE(message(path).find(std::string(name) + " of /Units = 100001 contradict"), std::string::npos)
        << message(path);
  }
}

TEST_F(SnapshotContradictions, OfTheSpacingAndTheNumber) {
  const std::string box = write();
  test::edit(box, [&](const hdf5::Object& file) {
    test::replace_attribute(file, "Run", "spacing", std::vector<double>{12.01});
  });
  EXPECT_NE(message(box).find("spacing of /Run = 12.01"), std::string::npos) << message(box);
  const std::string sphere = write_sphere(1);
  EXPECT_EQ(message(sphere), "");
  test::edit(sphere, [&](const hdf5::Object& file) {
    test::replace_attribute(file, "Run", "spacing", std::vector<double>{12});
  });
  EXPECT_NE(message(sphere).find("spacing of /Run = 12 "), std::string::npos) << message(sphere);
}

/// Every file of a set must state the same as the first.
TEST_F(SnapshotContradictions, OfTheFilesOfASet) {
  ParticleSystem system = test::random_system(1000, true, Boundary::periodic);
  const std::pair<const char*, const char*> places[] = {
      {"Cosmology", "n_s"}, {"Cosmology", "w0"}, {"Cosmology", "radiation"}, {"Parameters", "SofteningComovingClass0"}};
  for (const auto& [group, name] : places) {
    SnapshotOptions options;
    options.files = 3;
    options.softening = 0.1;
    const std::vector<std::string> paths = write_snapshot(directory_ / "set", system, cosmology_, options);
    EXPECT_EQ(message(paths[0]), "");
    test::edit(paths[2], [&, group = group, name = name](const hdf5::Object& file) {
      test::replace_attribute(file, group, name, std::vector<double>{0.5});
    });
    EXPECT_NE(message(paths[0]).find(paths[2] + ": does not belong"), std::string::npos) << name << message(paths[0]);
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

/// Cutting a lattice may leave a small sphere with too many or too few particles.
TEST_F(SnapshotContradictions, OfASpheresMassesAndDensity) {
  const auto excess = [&](double factor) { return read_snapshot(write_sphere(factor)); };
  EXPECT_NEAR(excess(1.2).excess_mass, 0.2, 1e-5);
  EXPECT_EQ(judge_masses(excess(1.09), "file", false), "");
  EXPECT_NE(judge_masses(excess(1.105), "file", false).find("gives the sphere"), std::string::npos);
  EXPECT_THROW(static_cast<void>(judge_masses(excess(1.2), "file", false)), SharedError);
  EXPECT_THROW(static_cast<void>(judge_masses(excess(0.85), "file", false)), SharedError);
}

/// The total mass follows from MassTable without reading particles.
TEST_F(SnapshotContradictions, TheHeaderTellsOfTheMass) {
  EXPECT_NEAR(read_snapshot_info(write(1.1)).excess_mass, 0.1, 1e-5);
  EXPECT_NEAR(read_snapshot_info(write_sphere(1.2)).excess_mass, 0.2, 1e-5);
}

TEST_F(SnapshotContradictions, TheSpacingOfABoxIsItsSideOverTheNumber) {
  const std::string path = write(1.0005);
  test::edit(path, [&](const hdf5::Object& file) { ASSERT_GE(H5Adelete(file.group("Run")->id(), "spacing"), 0); });
  EXPECT_NEAR(read_snapshot(path).system.spacing, 12, 1e-12);
}

}  // namespace
}  // namespace multiwalk
