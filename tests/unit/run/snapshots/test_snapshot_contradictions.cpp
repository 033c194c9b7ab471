// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots that contradict themselves: refused, or a warning, before gravity is wrong.
#include <fmt/format.h>

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
      test::replace_attribute(file, "Units", name, std::vector<double>{1e5 + 9});
    });
    EXPECT_NE(message(path).find(std::string(name) + " of /Units = 100009 contradict"), std::string::npos)
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
  const auto table = static_cast<float>(read_snapshot(path).system.particles.mass[0]);
  const auto with_last = [&](float factor) {
    std::vector<float> masses(1000, table);
    masses.back() *= factor;
    test::edit(path, [&](const hdf5::Object& file) { test::put(*file.group("PartType1"), "Masses", 1, masses); });
    return message(path);
  };
  EXPECT_EQ(with_last(1), "");
  EXPECT_EQ(with_last(1 + 5e-6F), "");
  for (const float factor : {1 + 5e-5F, 3.0F, 0.0F}) {
    EXPECT_NE(with_last(factor).find("MassTable gives particles of type 1 the mass 14"), std::string::npos)
        << with_last(factor);
    EXPECT_NE(with_last(factor).find(fmt::format("their own masses say {}", static_cast<double>(table * factor))),
              std::string::npos)
        << with_last(factor);
  }
}

/// What is given and what the file states may differ by rounding only.
TEST_F(SnapshotContradictions, OfTheFileAndWhatIsGiven) {
  cosmology_ = {
      .omega_m = 0.25, .omega_lambda = 0.7, .omega_b = 0.04, .h = 0.7, .n_s = 0.95, .sigma8 = 0.9, .w0 = -0.9};
  const std::string path = write();
  const auto with = [&](const std::string& setting) -> std::string {
    try {
      static_cast<void>(read_snapshot_info(path, Unsaid::of(std::vector<std::string>{setting})));
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  for (const char* same : {"omega_m=0.25", "omega_m=0.250001", "h=0.7", "n_s=0.95", "w0=-0.9", "radiation=false"})
    EXPECT_EQ(with(std::string("cosmology.") + same), "") << same;
  for (const char* other : {"omega_m=0.26", "omega_lambda=0.75", "omega_b=0.05", "h=0.71", "n_s=0.96", "sigma8=0.8",
                            "w0=-1", "wa=0.1", "radiation=true"})
    EXPECT_NE(with(std::string("cosmology.") + other).find("is given: leave it out"), std::string::npos) << other;
  EXPECT_NE(with("cosmology.omega_m=0.2501").find("states omega_m = 0.25, and cosmology.omega_m = 0.2501"),
            std::string::npos)
      << with("cosmology.omega_m=0.2501");
  const auto units = [](const char* length, const char* mass, const char* velocity) {
    return fmt::format(R"(model.units={{length="{}", mass="{}", velocity="{}"}})", length, mass, velocity);
  };
  EXPECT_EQ(with(units("kpc/h", "1e10 Msun/h", "km/s")), "");
  EXPECT_EQ(with(units("3.085678e21", "1.989e43", "1e5")), "");
  EXPECT_NE(with(units("1.0001 kpc/h", "1e10 Msun/h", "km/s")).find("model.units.length"), std::string::npos);
  EXPECT_NE(with(units("kpc/h", "1.01e10 Msun/h", "km/s")).find("model.units.mass"), std::string::npos);
  EXPECT_NE(with(units("kpc/h", "1e10 Msun/h", "1.0001 km/s")).find("model.units.velocity"), std::string::npos);
}

/// AREPO's files (IllustrisTNG) have their units in /Header.
TEST_F(SnapshotContradictions, UnitsInTheHeader) {
  const std::string path = write();
  const SnapshotInfo truth = read_snapshot(path);
  const std::pair<const char*, double> units[] = {
      {"UnitLength_in_cm", 3.085678e21}, {"UnitMass_in_g", 1.98841e43}, {"UnitVelocity_in_cm_per_s", 1e5}};
  test::edit(path, [&](const hdf5::Object& file) {
    for (const char* group : {"Parameters", "Units", "Cosmology", "Run"}) H5Ldelete(file.id(), group, H5P_DEFAULT);
    for (const auto& [name, value] : units) file.group("Header")->write(name, value);
  });
  const SnapshotInfo info = read_snapshot(path);
  EXPECT_DOUBLE_EQ(info.system.box_size, truth.system.box_size);  // 120 stays 120
  EXPECT_EQ(info.system.particles.velocity[7], truth.system.particles.velocity[7]);
  EXPECT_EQ(info.system.particles.mass[7], truth.system.particles.mass[7]);
  test::edit(path,
             [&](const hdf5::Object& file) { file.create_group("Units").write("UnitVelocity_in_cm_per_s", 1e2); });
  EXPECT_NE(message(path).find("UnitVelocity_in_cm_per_s of /Units = 100 contradict"), std::string::npos)
      << message(path);
}

TEST_F(SnapshotContradictions, OfCoordinatesAndBox) {
  const std::string path = write();
  for (const double unit : {1000.0, 0.001}) {
    std::vector<double> x;
    for (const Vec3d& each : read_snapshot(write()).system.particles.position)
      for (int axis = 0; axis < 3; ++axis) x.push_back(1000 * unit * each[axis]);
    test::edit(path, [&](const hdf5::Object& file) { test::put(*file.group("PartType1"), "Coordinates", 3, x); });
    EXPECT_NE(message(path).find("coordinates and BoxSize are in different units"), std::string::npos) << message(path);
  }
}

/// Trees need ids; spectra and pictures do not.
TEST_F(SnapshotContradictions, RepeatedIdsMatterToThoseWhoUseThem) {
  const std::string path = write();
  test::edit(path, [&](const hdf5::Object& file) {
    test::put(*file.group("PartType1"), "ParticleIDs", 1, std::vector<std::uint64_t>(1000, 7));
  });
  EXPECT_NE(message(path).find("not unique"), std::string::npos);
  EXPECT_EQ(read_snapshot(path, {}, {}, RepeatedIds::warned_of).system.particles.id[5], 7U);
}

TEST_F(SnapshotContradictions, OfMassesAndDensity) {
  const auto excess = [&](double factor) { return read_snapshot(write(factor)); };
  EXPECT_NEAR(excess(1.1).excess_mass, 0.1, 1e-5);
  EXPECT_EQ(judge_contents(excess(1), "file", false), "");
  EXPECT_EQ(judge_contents(excess(1.0009), "file", false), "");
  EXPECT_NE(judge_contents(excess(1.002), "file", false).find("too strong"), std::string::npos);
  EXPECT_NE(judge_contents(excess(0.995), "file", false).find("too weak"), std::string::npos);
  EXPECT_THROW(static_cast<void>(judge_contents(excess(1.1), "file", false)), SharedError);
  EXPECT_THROW(static_cast<void>(judge_contents(excess(0.98), "file", false)), SharedError);
  EXPECT_NE(judge_contents(excess(1.1), "file", true), "");
}

/// Cutting a lattice may leave a small sphere with too many or too few particles.
TEST_F(SnapshotContradictions, OfASpheresMassesAndDensity) {
  const auto excess = [&](double factor) { return read_snapshot(write_sphere(factor)); };
  EXPECT_NEAR(excess(1.2).excess_mass, 0.2, 1e-5);
  EXPECT_EQ(judge_contents(excess(1.09), "file", false), "");
  EXPECT_NE(judge_contents(excess(1.105), "file", false).find("gives the sphere"), std::string::npos);
  EXPECT_THROW(static_cast<void>(judge_contents(excess(1.2), "file", false)), SharedError);
  EXPECT_THROW(static_cast<void>(judge_contents(excess(0.85), "file", false)), SharedError);
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
