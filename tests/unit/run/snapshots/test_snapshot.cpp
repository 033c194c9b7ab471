// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots: what is written comes back, in the units that other programs expect.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "decomposition/ranks/agree.hpp"
#include "host/base/units.hpp"
#include "run/snapshots/snapshot.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::random_system;
using test::TemporaryDirectory;

CosmologyParameters some_cosmology() {
  CosmologyParameters c;
  c.omega_m = 0.3;
  c.omega_lambda = 0.65;
  c.h = 0.7;
  c.w0 = -0.9;
  c.wa = 0.1;
  c.radiation = true;
  c.smooth_power = true;
  return c;
}

/// Largest errors: positions in units of the box, velocities and potential relative to each value.
struct Difference {
  double position = 0, velocity = 0, potential = 0;
};

Difference compare(const ParticleSystem& a, const ParticleSystem& b) {
  Difference d;
  EXPECT_EQ(a.particles.id, b.particles.id);
  EXPECT_EQ(a.particles.mass, b.particles.mass);
  for (std::size_t i = 0; i < a.particles.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const double v = a.particles.velocity[i][axis], w = b.particles.velocity[i][axis];
      const double phi = a.particles.potential[i], psi = b.particles.potential[i];
      d.position = std::max(d.position, std::fabs(a.particles.position[i][axis] - b.particles.position[i][axis]) /
                                            std::max(1.0, a.box_size));
      d.velocity = std::max(d.velocity, std::fabs(v - w) / std::fabs(v));
      d.potential = std::max(d.potential, std::fabs(phi - psi) / std::max(std::fabs(phi), 1e6));
    }
  return d;
}

void expect_same_header(const ParticleSystem& a, const ParticleSystem& b) {
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.boundary, b.boundary);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.box_size, b.box_size);
  EXPECT_EQ(a.sphere_radius, b.sphere_radius);
}

TEST(Snapshot, RoundTripsEveryKind) {
  const TemporaryDirectory directory;
  for (const Boundary boundary : {Boundary::vacuum, Boundary::periodic})
    for (const bool equal : {true, false})
      for (const int files : {1, 3}) {
        const ParticleSystem system = random_system(70000, equal, boundary);
        SnapshotOptions options;
        options.files = files;
        const auto paths = write_snapshot(directory / "snapshot_001", system, some_cosmology(), options);
        ASSERT_EQ(paths.size(), static_cast<std::size_t>(files));
        const SnapshotInfo info = read_snapshot(paths.back());
        EXPECT_EQ(info.layout, "gadget");
        EXPECT_EQ(info.particles, 70000u);
        EXPECT_EQ(info.files, files);
        expect_same_header(system, info.system);
        const Difference d = compare(system, info.system);
        EXPECT_LT(d.position, 1e-15);
        EXPECT_LE(d.velocity, std::ldexp(1, -23));
        EXPECT_LT(d.potential, 6e-7);
        const SnapshotInfo header = read_snapshot_info(paths.front());
        EXPECT_EQ(header.particles, 70000u);
        EXPECT_TRUE(header.system.particles.empty());
      }
}

TEST(Snapshot, CosmologyComesBack) {
  const TemporaryDirectory directory;
  const CosmologyParameters c = some_cosmology();
  const auto paths = write_snapshot(directory / "s", random_system(10), c, {});
  const CosmologyParameters r = read_snapshot_info(paths[0]).cosmology;
  EXPECT_EQ(std::tie(r.omega_m, r.omega_lambda, r.omega_b, r.h, r.n_s, r.sigma8, r.a_s, r.shape_gamma, r.smooth_power,
                     r.w0, r.wa, r.radiation, r.t_cmb),
            std::tie(c.omega_m, c.omega_lambda, c.omega_b, c.h, c.n_s, c.sigma8, c.a_s, c.shape_gamma, c.smooth_power,
                     c.w0, c.wa, c.radiation, c.t_cmb));
}

/// Of the linear power only what decided it is stated; a derived sigma8 is called that.
TEST(Snapshot, StatesOnlyWhatDecidedItsPower) {
  const TemporaryDirectory directory;
  SnapshotOptions options;
  options.power = PowerFacts{{"n_s", 0.95}, {"a_s", 4e-9}, {"sigma8_derived", 1.1}};
  const auto paths = write_snapshot(directory / "s", random_system(10), some_cosmology(), options);
  const hdf5::File file = hdf5::File::open(paths[0]);
  const auto cosmology = file.group("Cosmology");
  EXPECT_FALSE(cosmology->number("sigma8") || cosmology->number("shape_gamma") || cosmology->number("omega_b"));
  EXPECT_FALSE(file.group("Header")->number("OmegaBaryon") || file.group("Parameters")->number("OmegaBaryon"));
  EXPECT_EQ(cosmology->number("sigma8_derived"), 1.1);
  const SnapshotInfo info = read_snapshot_info(paths[0]);
  EXPECT_EQ(info.power, *options.power);
  EXPECT_EQ(info.cosmology.a_s, 4e-9);
  options.power = PowerFacts{{"sigma8_derived", 1.1}};
  EXPECT_EQ(read_snapshot_info(write_snapshot(directory / "t", random_system(10), {}, options)[0]).cosmology.sigma8,
            1.1);
}

TEST(Snapshot, SofteningComesBackWithItsPhysicalCap) {
  const TemporaryDirectory directory;
  ParticleSystem system = random_system(10);
  system.time = 0.5;
  SnapshotOptions options;
  options.softening = 0.06;
  EXPECT_NEAR(read_snapshot_info(write_snapshot(directory / "a", system, {}, options)[0]).softening, 0.06, 1e-15);
  options.softening_max_physical = 0.02;  // 0.04 comoving at a = 0.5
  EXPECT_NEAR(read_snapshot_info(write_snapshot(directory / "b", system, {}, options)[0]).softening, 0.04, 1e-15);
  system.time = 0.25;  // 0.08 comoving: no cap yet
  EXPECT_NEAR(read_snapshot_info(write_snapshot(directory / "c", system, {}, options)[0]).softening, 0.06, 1e-15);
}

TEST(Snapshot, SpacingFollowsFromMassAndDensity) {
  const TemporaryDirectory directory;
  ParticleSystem system = random_system(10);
  CosmologyParameters c;
  const double spacing = 1.5;
  for (float& m : system.particles.mass)
    m = static_cast<float>(spacing * spacing * spacing * c.omega_m * units::critical_density);
  const auto paths = write_snapshot(directory / "s", system, c, {});
  EXPECT_NEAR(read_snapshot(paths[0]).system.spacing, spacing, 1e-7);
  EXPECT_NEAR(read_snapshot_info(paths[0]).system.spacing, spacing, 1e-7);
}

TEST(Snapshot, NewtonianSystemsKeepTheirUnits) {
  const TemporaryDirectory directory;
  ParticleSystem system = random_system(100);
  system.frame = Frame::newtonian;
  system.time = 0;
  system.box_size = 0;
  system.sphere_radius = 0;
  for (Vec3d& x : system.particles.position) x = (1.0 / 60) * x;
  const auto paths = write_snapshot(directory / "s", system, {}, {});
  const SnapshotInfo info = read_snapshot(paths[0]);
  expect_same_header(system, info.system);
  const Difference d = compare(system, info.system);
  EXPECT_LT(d.position, 1e-15);
  EXPECT_EQ(d.velocity, 0);
  EXPECT_EQ(d.potential, 0);
}

TEST(Snapshot, NewtonianFilesNeedNoUnits) {
  const TemporaryDirectory directory;
  ParticleSystem system = random_system(100);
  system.frame = Frame::newtonian;
  system.time = 0;
  const auto paths = write_snapshot(directory / "s", system, {}, {});
  test::edit(paths[0], [](const hdf5::Object& file) {
    for (const char* group : {"Units", "Parameters"}) ASSERT_GE(H5Ldelete(file.id(), group, H5P_DEFAULT), 0);
  });
  EXPECT_LT(compare(system, read_snapshot(paths[0]).system).position, 1e-14);
}

TEST(Snapshot, AccelerationsAreWrittenWhenAsked) {
  const TemporaryDirectory directory;
  ParticleSystem system = random_system(50);
  for (std::size_t i = 0; i < 50; ++i) system.particles.acceleration[i] = Vec3f(1.0 * i, -2, 0.5);
  SnapshotOptions options;
  options.extension = ".h5";
  EXPECT_FALSE(hdf5::File::open(write_snapshot(directory / "s", system, {}, options)[0])
                   .group("PartType1")
                   ->has("Acceleration"));
  options.accelerations = true;
  options.background = 0.25;
  const auto paths = write_snapshot(directory / "s", system, {}, options);
  EXPECT_TRUE(paths[0].ends_with("/s.h5")) << paths[0];
  const hdf5::File file = hdf5::File::open(paths[0]);
  const auto written = file.group("PartType1")->read_dataset<float>("Acceleration", 3);
  for (std::size_t i = 0; i < 50; ++i) {
    const Vec3d x = system.particles.position[i];
    EXPECT_NEAR(written[3 * i], (i + 0.25 * x.x) / 1000, 1e-8 * (i + 20)) << i;  // per kpc/h
    EXPECT_NEAR(written[3 * i + 1], (-2 + 0.25 * x.y) / 1000, 1e-8);
  }
  EXPECT_EQ(read_snapshot(paths[0]).particles, 50U);
}

TEST(Snapshot, TinySystemsAndEmptyFilesWork) {
  const TemporaryDirectory directory;
  for (const std::size_t n : {1, 2, 3}) {
    ParticleSystem system = random_system(n);
    system.box_size = 0;
    SnapshotOptions options;
    options.files = 2;
    const auto paths = write_snapshot(directory / "s", system, {}, options);
    compare(system, read_snapshot(paths[0]).system);
    compare(system, read_snapshot(paths[1]).system);
  }
  ParticleSystem origin = random_system(1);
  origin.particles.position[0] = {0, 0, 0};
  origin.box_size = 0;
  EXPECT_EQ(read_snapshot(write_snapshot(directory / "t", origin, {}, {})[0]).system.particles.position[0],
            (Vec3d{0, 0, 0}));
}

TEST(Snapshot, CoordinatesStayInsideTheBox) {
  const TemporaryDirectory directory;
  ParticleSystem periodic = random_system(3, true, Boundary::periodic);
  periodic.particles.position[0] = {-1e-20, 120, 130};
  periodic.particles.position[1] = {std::nextafter(120.0, 0.0), 0, -119};
  ParticleSystem sphere = random_system(2);
  sphere.particles.position[0] = {60, -60, 75};
  for (const bool single : {false, true})
    for (const ParticleSystem& system : {periodic, sphere}) {
      SnapshotOptions options;
      options.single_precision_positions = single;
      const auto paths = write_snapshot(directory / "s", system, {}, options);
      const hdf5::File file = hdf5::File::open(paths[0]);
      const auto x = file.group("PartType1")->read_dataset<double>("Coordinates", 3);
      const double side = *file.group("Header")->number("BoxSize");
      for (const double value : x) {
        EXPECT_GE(value, 0);
        EXPECT_LT(value, side);
      }
      const double tolerance = single ? 1e-7 : 1e-15;
      if (system.boundary == Boundary::periodic) continue;
      EXPECT_LT(compare(system, read_snapshot(paths[0]).system).position, 2 * tolerance);
    }
}

/// The first of those here that has h5py, that of check.sh before others; empty if none has.
std::string python_with_h5py() {
  for (const std::string python : {MULTIWALK_SOURCE_DIR "/build/python/bin/python", "python3", "/usr/bin/python3"}) {
    if (std::system((python + " -c 'import h5py' 2>/dev/null").c_str()) == 0) return python;
  }
  return {};
}

TEST(Snapshot, OthersSeeTheLayoutOfThePage) {
  const std::string python = python_with_h5py();
  if (python.empty()) GTEST_SKIP() << "no Python here has h5py (pip install h5py)";
  const TemporaryDirectory directory;
  const ParticleSystem system = random_system(4, false);
  SnapshotOptions options;
  options.softening = 0.02;
  options.parameters["force.theta"] = 0.5;
  options.run["step"] = std::int64_t{7};
  options.code["version"] = std::string("1.0");
  write_snapshot(directory / "snapshot_000", system, some_cosmology(), options);
  const ParticleStore& p = system.particles;
  test::write_bytes(directory / "expected.txt",
                    fmt::format("{:.17g} {:.17g} {:.9g}", p.position[2].y, p.velocity[3].z, p.mass[1]));
  test::write_bytes(directory / "check.py", R"(
import h5py, numpy as np, sys
f = h5py.File(sys.argv[1] + '/snapshot_000.hdf5')
y, v, m = map(float, open(sys.argv[1] + '/expected.txt').read().split())
h, p, d = f['Header'].attrs, f['Parameters'].attrs, f['PartType1']
assert not {'FOF', 'Group', 'Subhalo', 'SUBFIND', 'Constants', 'RuntimePars', 'HashTable', 'Policy'} & set(f)
assert set(f) == {'Header', 'Parameters', 'Units', 'Code', 'Cosmology', 'Run', 'PartType1'}
for name in ('NumPart_ThisFile', 'NumPart_Total'):
    assert h[name].dtype == 'u8' and list(h[name]) == [0, 4, 0, 0, 0, 0], name
assert h['NumPart_Total_HighWord'].dtype == 'u4' and h['MassTable'].dtype == 'f8' and not h['MassTable'].any()
for name, value in dict(Time=.25, Redshift=3, BoxSize=120000, Omega0=.3, OmegaLambda=.65, OmegaBaryon=.049, HubbleParam=.7).items():
    assert h[name].shape == () and h[name].dtype == 'f8' and h[name] == value, name
for name in 'NumFilesPerSnapshot Flag_Sfr Flag_Cooling Flag_StellarAge Flag_Metals Flag_Feedback Flag_DoublePrecision Flag_Entropy_ICs'.split():
    assert h[name].dtype == 'i4' and h[name] == (name == 'NumFilesPerSnapshot'), name
assert len(h) == 19
assert p['UnitLength_in_cm'] == 3.0856775814913673e21 and p['UnitMass_in_g'] == 1.98841e43 and p['UnitVelocity_in_cm_per_s'] == 1e5
assert abs(p['Hubble'] - .1) < 1e-15 and p['SofteningComovingClass0'] == 20 and p['SofteningMaxPhysClass0'] == 20
assert p['SofteningClassOfPartType1'].dtype == 'i4' and p['force.theta'] == .5 and p['BoxSize'] == 120000
assert abs(f['Units'].attrs['UnitTime_in_s'] - 3.0856775814913673e16) < 1
assert f['Run'].attrs['boundary'] == b'vacuum' and list(f['Run'].attrs['origin']) == [60000] * 3 and f['Run'].attrs['step'] == 7
assert f['Code'].attrs['version'] == b'1.0'
types = {'Coordinates': ('f8', [1, -1, 1, 0, 0]), 'Velocities': ('f4', [.5, 0, 0, 0, 1]), 'ParticleIDs': ('u8', [0] * 5),
         'Masses': ('f4', [0, -1, 0, 1, 0]), 'Potential': ('f4', [-1, 0, 0, 0, 2])}
assert set(d) == set(types)
for name, (dtype, scaling) in types.items():
    a = d[name].attrs
    assert d[name].dtype == dtype and d[name].fletcher32, name
    assert [a[k + '_scaling'] for k in ('a', 'h', 'length', 'mass', 'velocity')] == scaling, name
assert d['Velocities'].attrs['to_cgs'] == 1e5 and d['Coordinates'].attrs['to_cgs'] == 3.0856775814913673e21
assert abs(d['Coordinates'][2, 1] - 1000 * (y + 60)) < 1e-9
# p = a v_pec, the file has v_pec / sqrt(a)
assert abs(d['Velocities'][3, 2] / (v / .25 / .25 ** .5) - 1) < 1.2e-7
assert abs(d['Masses'][1] / m - 1) < 1e-7 and list(d['ParticleIDs'][:]) == [4, 11, 18, 25]
)");
  EXPECT_EQ(std::system((python + " " + directory / "check.py" + " " + directory.path()).c_str()), 0);
}

TEST(Snapshot, PotentialIsPeculiar) {
  const TemporaryDirectory directory;
  ParticleSystem system = random_system(2);
  system.particles.position[1] = {30, 0, 0};
  system.particles.potential[1] = -1000;
  const CosmologyParameters c = some_cosmology();
  const auto paths = write_snapshot(directory / "s", system, c, {});
  const auto phi = hdf5::File::open(paths[0]).group("PartType1")->read_dataset<double>("Potential");
  EXPECT_NEAR(phi[1], -1000 - 0.25 * 0.3 * 1e4 * 900, 0.1);
  system.particles.potential.assign(2, 0);
  write_snapshot(directory / "s", system, c, {});
  EXPECT_FALSE(hdf5::File::open(paths[0]).group("PartType1")->has("Potential"));
}

TEST(Snapshot, AFileSizeLimitLeavesNothing) {
  const TemporaryDirectory directory;
  const ParticleSystem system = random_system(20000);
  {
    const test::FileSizeLimit limit(100000);
    EXPECT_THROW(write_snapshot(directory / "s", system, {}, {}), SharedError);
  }
  EXPECT_EQ(directory.count(), 0u);
}

TEST(Snapshot, AFullDiskLeavesNothingAndCostsNoSpace) {
  const TemporaryDirectory directory;
  const test::SmallTmpfs disk(directory.path(), "512k");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a tmpfs here";
  for (const std::size_t n : {20000, 100000}) {
    try {
      write_snapshot(directory / "s", random_system(n), {}, {});
      FAIL();
    } catch (const SharedError& error) {
      EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
    EXPECT_EQ(directory.count(), 0u);
  }
  EXPECT_NO_THROW(write_snapshot(directory / "s", random_system(5000), {}, {}));
}

TEST(Snapshot, AFailedWriteKeepsTheOldFile) {
  const TemporaryDirectory directory;
  const ParticleSystem old = random_system(50);
  const auto paths = write_snapshot(directory / "s", old, {}, {});
  {
    const test::FileSizeLimit limit(100000);
    EXPECT_THROW(write_snapshot(directory / "s", random_system(20000), {}, {}), SharedError);
  }
  compare(old, read_snapshot(paths[0]).system);
  EXPECT_THROW(write_snapshot(directory / "none/s", old, {}, {}), SharedError);
}

}  // namespace
}  // namespace multiwalk
