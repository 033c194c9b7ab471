// SPDX-License-Identifier: GPL-3.0-or-later
// Particles of every model: counts, units, orbits, equilibria, and refused options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/separation.hpp"
#include "host/base/units.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/fields/gaussian_field.hpp"
#include "ic/lpt/displacement.hpp"
#include "ic/models/model.hpp"

namespace multiwalk {
namespace {

ModelOptions options(ModelKind kind) {
  ModelOptions model;
  model.kind = kind;
  return model;
}

ParticleSystem make(const ModelOptions& model, const IcOptions& ic = {}) {
  return make_model(model, ic, CosmologyParameters{});
}

IcOptions small_ic(double z_start, int order = 2) {
  IcOptions ic;
  ic.grid = 24;
  ic.z_start = z_start;
  ic.lpt_order = order;
  return ic;
}

/// rms over particles of |a - b|.
template <class A, class B>
double rms(const A& a, const B& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += norm2(Vec3d(a[i]) - Vec3d(b[i]));
  return std::sqrt(sum / static_cast<double>(a.size()));
}

double kinetic_energy(const ParticleStore& p) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += 0.5 * p.mass[i] * norm2(Vec3d(p.velocity[i]));
  return sum;
}

double potential_energy(const ParticleStore& p) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum)
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) sum -= double{p.mass[i]} * p.mass[j] / norm(p.position[i] - p.position[j]);
  }
  return sum;
}

TEST(CosmologicalSphere, HoldsTheMassOfItsSites) {
  const ParticleSystem system = make(options(ModelKind::sphere), small_ic(24));
  EXPECT_EQ(system.frame, Frame::comoving);
  EXPECT_EQ(system.boundary, Boundary::vacuum);
  EXPECT_DOUBLE_EQ(system.time, 1.0 / 25);
  EXPECT_DOUBLE_EQ(system.spacing, 5);
  EXPECT_DOUBLE_EQ(system.sphere_radius, 60);
  const ParticleStore& p = system.particles;
  EXPECT_TRUE(std::is_sorted(p.id.begin(), p.id.end()));
  const double mass = 0.3111 * units::critical_density * 125;
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p.mass[i] / mass, 1, 1e-6);
  EXPECT_NEAR(static_cast<double>(p.size()) * 125 / (4 * std::numbers::pi / 3 * 216000), 1, 0.02);
}

TEST(CosmologicalSphere, IsCutFromTheBox) {
  ModelOptions model = options(ModelKind::sphere);
  model.radius = 40;
  model.box_size = 120;
  const ParticleSystem sphere = make(model, small_ic(24));
  model.kind = ModelKind::box;
  const ParticleSystem box = make(model, small_ic(24));
  EXPECT_EQ(box.boundary, Boundary::periodic);
  EXPECT_EQ(box.particles.size(), 24U * 24 * 24);
  for (const Vec3d& x : box.particles.position) {
    for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(x[axis] >= 0 && x[axis] < 120);
  }
  EXPECT_LT(sphere.particles.size(), 3000U);
  for (std::size_t i = 0; i < sphere.particles.size(); ++i) {
    const std::uint64_t id = sphere.particles.id[i];
    EXPECT_EQ(box.particles.id[id], id);
    EXPECT_LT(norm(box.particles.position[id] - Vec3d{60, 60, 60} - sphere.particles.position[i]), 1e-12);
    EXPECT_EQ(box.particles.velocity[id], sphere.particles.velocity[i]);
  }
}

TEST(CosmologicalSphere, VelocitiesAreTheRateOfDisplacement) {
  const Expansion expansion{CosmologyParameters{}};
  for (const double z : {49.0, 3.0, 0.5}) {
    for (const int order : {1, 2}) {
      const ParticleSystem early = make(options(ModelKind::sphere), small_ic(z + 0.005 * (1 + z), order));
      const ParticleSystem middle = make(options(ModelKind::sphere), small_ic(z, order));
      const ParticleSystem late = make(options(ModelKind::sphere), small_ic(z - 0.005 * (1 + z), order));
      const double drift = expansion.drift_factor(early.time, late.time);
      std::vector<Vec3d> momentum;
      for (std::size_t i = 0; i < middle.particles.size(); ++i) {
        momentum.push_back((late.particles.position[i] - early.particles.position[i]) * (1 / drift));
      }
      const std::vector<Vec3d> zero(momentum.size());
      EXPECT_LT(rms(momentum, middle.particles.velocity) / rms(momentum, zero), 2e-4) << "z = " << z << ", " << order;
    }
  }
}

TEST(CosmologicalSphere, DisplacementsGrowLinearly) {
  const Growth growth{Expansion{CosmologyParameters{}}};
  const ParticleSystem lattice = make(options(ModelKind::hubble_lattice), small_ic(24));
  const ParticleSystem early = make(options(ModelKind::sphere), small_ic(24, 1));
  const ParticleSystem late = make(options(ModelKind::sphere), small_ic(1, 1));
  const double ratio = rms(late.particles.position, lattice.particles.position) /
                       rms(early.particles.position, lattice.particles.position);
  EXPECT_NEAR(ratio / (growth.factor(0.5) / growth.factor(0.04)), 1, 1e-9);
}

TEST(PeriodicBox, DisplacementsAddUpTheFieldsModes) {
  // Parseval: the mean square displacement is D1^2 sum over modes of |delta_k|^2 / k^2.
  const ModelOptions model = options(ModelKind::box);
  const ParticleSystem box = make(model, small_ic(24, 1));
  double square = 0;
  for (std::size_t i = 0; i < box.particles.size(); ++i) {
    const Vec3d site{static_cast<double>(i / 576), static_cast<double>(i / 24 % 24), static_cast<double>(i % 24)};
    for (int axis = 0; axis < 3; ++axis) {
      const double shift = box.particles.position[i][axis] - 5 * site[axis];
      square += std::pow(shift - 120 * std::round(shift / 120), 2);
    }
  }
  const LinearPower power = LinearPower::eisenstein_hu(CosmologyParameters{});
  const PencilMesh field = gaussian_field(24, 120, power, {model.seed, false, false});
  double modes = 0;
  for (std::uint32_t x = 0; x < 24; ++x) {
    for (std::uint32_t y = 0; y < 24; ++y) {
      for (std::uint32_t z = 0; z < 12; ++z) {
        const double n2 = std::pow(field.wavenumber(x), 2) + std::pow(field.wavenumber(y), 2) + z * z;
        if (n2 > 0) modes += (z > 0 ? 2 : 1) * std::norm(field.mode(x, y, z)) / n2;
      }
    }
  }
  const Growth growth{Expansion{CosmologyParameters{}}};
  const double expected = growth.factor(0.04) / growth.factor(1) * std::sqrt(modes) * 120 / (2 * std::numbers::pi);
  EXPECT_NEAR(std::sqrt(square / static_cast<double>(box.particles.size())) / expected, 1, 1e-9);
  EXPECT_GT(expected, 0.1);
}

TEST(CosmologicalSphere, SecondOrderIsSmallAndShrinksAsTheSquare) {
  const auto second = [](double z) {
    return rms(make(options(ModelKind::sphere), small_ic(z, 2)).particles.position,
               make(options(ModelKind::sphere), small_ic(z, 1)).particles.position);
  };
  const Growth growth{Expansion{CosmologyParameters{}}};
  EXPECT_NEAR(second(24) / second(9) / (growth.second_factor(0.04) / growth.second_factor(0.1)), 1, 1e-9);
  EXPECT_GT(second(9), 1e-3);
  EXPECT_LT(second(9), 0.1);
}

TEST(CosmologicalSphere, PairedRealisationsMirrorTheirDisplacements) {
  IcOptions ic = small_ic(24, 1);
  const ParticleArray<Vec3d> lattice = make(options(ModelKind::hubble_lattice), ic).particles.position;
  const ParticleArray<Vec3d> plus = make(options(ModelKind::sphere), ic).particles.position;
  ic.paired = true;
  const ParticleArray<Vec3d> minus = make(options(ModelKind::sphere), ic).particles.position;
  for (std::size_t i = 0; i < lattice.size(); ++i) EXPECT_LT(norm(plus[i] + minus[i] - 2.0 * lattice[i]), 1e-12);
  EXPECT_GT(rms(plus, minus), 0.1);
}

TEST(CosmologicalSphere, WarnsWhenTheTableEndsEarly) {
  IcOptions ic = small_ic(24);
  ic.transfer_file = MULTIWALK_SOURCE_DIR "/tests/unit/ic/data/class_planck18_linear_z0.dat";
  std::vector<std::string> warnings;
  const auto listen = [&warnings](const std::string& what, double fraction) {
    if (fraction < 0) warnings.push_back(what);
  };
  ModelOptions model = options(ModelKind::sphere);
  (void)make_model(model, ic, CosmologyParameters{}, listen);
  EXPECT_TRUE(warnings.empty());
  model.radius = 2;
  (void)make_model(model, ic, CosmologyParameters{}, listen);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("20.8077"), std::string::npos);
}

TEST(PeriodicBox, SecondOrderComesFromTheFieldToday) {
  const ModelOptions model = options(ModelKind::box);
  const ParticleStore first = make(model, small_ic(1, 1)).particles;
  const ParticleStore second = make(model, small_ic(1, 2)).particles;
  const Growth growth{Expansion{CosmologyParameters{}}};
  const Load load = lattice_load(24, {120});
  ParticleStore shifted;
  displace(gaussian_field(24, 120, LinearPower::eisenstein_hu(CosmologyParameters{}), {model.seed, false, false}),
           {0, growth.second_factor(0.5) / std::pow(growth.factor(1), 2), 0, 0, {}, {}, {}}, load, shifted);
  double largest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Vec3d expected = shifted.position[i] - load.position(i);
    largest = std::fmax(largest, norm(expected));
    for (int axis = 0; axis < 3; ++axis) {
      const double shift = second.position[i][axis] - first.position[i][axis];
      EXPECT_NEAR(shift - 120 * std::round(shift / 120), expected[axis], 1e-10);
    }
  }
  EXPECT_GT(largest, 0.1);
}

/// What the third order adds to positions and momenta: p = a^2 dx/dt = a^2 H dx/dlna.
TEST(PeriodicBox, ThirdOrderComesFromTheFieldToday) {
  ModelOptions model = options(ModelKind::box);
  model.box_size = 40;  // clustered, so that the third order is no small part
  const CosmologyParameters cosmology;
  const double a = 0.8, side = 40, h = 1e-3;
  const double hubble = 100 * std::sqrt(cosmology.omega_m / (a * a * a) + cosmology.omega_lambda);
  const ParticleStore second = make(model, small_ic(0.25, 2)).particles,
                      third = make(model, small_ic(0.25, 3)).particles;
  const Growth growth{Expansion{cosmology}};
  const double cube = std::pow(growth.factor(1), 3);
  const auto term = [&](Growth::Third which) {
    const auto factor = [&](double at) { return growth.third_factor(which, at) / cube; };
    return LptTerm{factor(a), a * a * hubble * (factor(a * std::exp(h)) - factor(a * std::exp(-h))) / (2 * h)};
  };
  const Load load = lattice_load(24, {side});
  ParticleStore added;
  displace(gaussian_field(24, side, LinearPower::eisenstein_hu(cosmology), {model.seed, false, false}),
           {0, 0, 0, 0, term(Growth::Third::determinant), term(Growth::Third::mixed), term(Growth::Third::transverse)},
           load, added);
  double way = 0, speed = 0, off_way = 0, off_speed = 0;
  for (std::size_t i = 0; i < added.size(); ++i) {
    const Vec3d shift = added.position[i] - load.position(i), push(added.velocity[i]);
    way = std::fmax(way, norm(shift));
    speed = std::fmax(speed, norm(push));
    off_way = std::fmax(off_way, norm(separation(second.position[i], third.position[i], side) - shift));
    off_speed = std::fmax(off_speed, norm(Vec3d(third.velocity[i]) - Vec3d(second.velocity[i]) - push));
  }
  std::printf("third order: %.1e of %.2g Mpc/h, %.1e of %.3g km/s\n", off_way, way, off_speed, speed);
  EXPECT_GT(way, 0.1);
  EXPECT_LT(off_way / way, 1e-13);
  EXPECT_LT(off_speed / speed, 1e-6);
}

TEST(HubbleLattice, IsALatticeAtRest) {
  IcOptions ic;
  ic.grid = 80;
  const ParticleSystem system = make(options(ModelKind::hubble_lattice), ic);
  std::size_t sites = 0;
  for (int x = -40; x < 40; ++x) {
    for (int y = -40; y < 40; ++y) {
      for (int z = -40; z < 40; ++z) sites += x * x + y * y + z * z < 1600 ? 1 : 0;
    }
  }
  EXPECT_EQ(system.particles.size(), sites);
  EXPECT_NEAR(static_cast<double>(sites), 268000, 500);
  Vec3d centre;
  for (std::size_t i = 0; i < sites; ++i) {
    const Vec3d x = system.particles.position[i] * (1 / 1.5);
    EXPECT_NEAR(x.x, std::round(x.x), 1e-12);
    EXPECT_EQ(system.particles.velocity[i], Vec3f{});
    centre += x;
  }
  EXPECT_LT(norm(centre), 1e-6);
}

TEST(HubbleLattice, JitterStaysWithinItsBounds) {
  ModelOptions model = options(ModelKind::hubble_lattice);
  const IcOptions ic = small_ic(24);
  const ParticleArray<Vec3d> lattice = make(model, ic).particles.position;
  model.jitter = 0.1;
  const ParticleArray<Vec3d> jittered = make(model, ic).particles.position;
  Vec3d mean;
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    mean += (jittered[i] - lattice[i]) * (1.0 / static_cast<double>(lattice.size()));
    for (int axis = 0; axis < 3; ++axis) EXPECT_LE(std::fabs(jittered[i][axis] - lattice[i][axis]), 0.5 + 1e-12);
  }
  EXPECT_LT(norm(mean), 0.02);
  EXPECT_NEAR(rms(lattice, jittered), 0.5, 0.01);  // 3 axes of variance (0.5 Mpc/h)^2 / 3
}

TEST(Plummer, IsInEquilibriumWithStandardEnergy) {
  ModelOptions model = options(ModelKind::plummer);
  model.particles = 16384;
  const ParticleSystem system = make(model);
  const double kinetic = kinetic_energy(system.particles);
  const double potential = potential_energy(system.particles);
  EXPECT_NEAR(2 * kinetic / -potential, 1, 0.015);
  EXPECT_NEAR(kinetic + potential, -0.25, 0.004);
  EXPECT_EQ(system.frame, Frame::newtonian);
  EXPECT_EQ(system.time, 0);
}

TEST(Plummer, HasItsLagrangianRadii) {
  ModelOptions model = options(ModelKind::plummer);
  model.particles = 65536;
  const ParticleStore p = make(model).particles;
  std::vector<double> radius;
  double radial = 0;
  double total = 0;
  Vec3d position;
  Vec3d velocity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    radius.push_back(norm(p.position[i]));
    const Vec3d v(p.velocity[i]);
    radial += std::pow(dot(v, p.position[i]) / radius.back(), 2);
    total += norm2(v);
    position += p.position[i];
    velocity += v;
  }
  std::sort(radius.begin(), radius.end());
  for (const double fraction : {0.1, 0.5, 0.9}) {
    const double expected = 3 * std::numbers::pi / 16 / std::sqrt(std::pow(0.999 * fraction, -2.0 / 3) - 1);
    EXPECT_NEAR(radius[static_cast<std::size_t>(fraction * 65536)] / expected, 1, 0.015) << fraction;
  }
  EXPECT_LT(radius.back(), 23.1);  // the radius of 99.9 % of the mass, and the centre's shift
  EXPECT_GT(radius.back(), 19);
  EXPECT_NEAR(radial / total, 1.0 / 3, 0.005);
  EXPECT_LT(norm(position) / 65536, 1e-14);
  EXPECT_LT(norm(velocity) / 65536, 1e-8);
}

TEST(UniformSphere, IsUniformAndCold) {
  ModelOptions model = options(ModelKind::uniform);
  model.particles = 12000;
  model.radius = 2;
  const ParticleSystem system = make(model);
  double square = 0;
  Vec3d mean;
  for (const Vec3d& x : system.particles.position) {
    EXPECT_LE(norm(x), 2 * (1 + 1e-12));
    square += norm2(x);
    mean += x;
  }
  EXPECT_NEAR(square / 12000, 0.6 * 4, 0.03);
  EXPECT_LT(norm(mean) / 12000, 0.04);
  EXPECT_EQ(kinetic_energy(system.particles), 0);
  EXPECT_NEAR(potential_energy(system.particles), -0.6 / 2, 0.003);
  EXPECT_NEAR(system.spacing, std::cbrt(4 * std::numbers::pi / 3 * 8 / 12000), 1e-12);
}

TEST(TwoBody, HasTheOrbitsEnergyAndAngularMomentum) {
  ModelOptions model = options(ModelKind::two_body);
  for (const double e : {0.0, 0.5, 0.9}) {
    model.eccentricity = e;
    const ParticleStore p = make(model).particles;
    ASSERT_EQ(p.size(), 2U);
    EXPECT_NEAR(kinetic_energy(p) + potential_energy(p), -0.125, 1e-7);
    Vec3d spin;
    for (std::size_t i = 0; i < 2; ++i) spin += cross(p.position[i], Vec3d(p.velocity[i])) * p.mass[i];
    EXPECT_NEAR(spin.z, 0.25 * std::sqrt(1 - e * e), 1e-7);
    EXPECT_NEAR(norm(p.position[0] - p.position[1]), 1 + e, 1e-15);
  }
}

TEST(Models, DependOnTheSeedAndHaveUniqueIds) {
  for (const ModelKind kind : {ModelKind::sphere, ModelKind::plummer, ModelKind::uniform}) {
    ModelOptions model = options(kind);
    model.particles = 1000;
    const ParticleStore first = make(model, small_ic(24)).particles;
    EXPECT_EQ(first.position, make(model, small_ic(24)).particles.position);
    EXPECT_EQ(std::set<std::uint64_t>(first.id.begin(), first.id.end()).size(), first.size());
    model.seed = 2;
    EXPECT_NE(first.position, make(model, small_ic(24)).particles.position);
  }
}

TEST(Models, SmallestSizesWork) {
  for (const std::uint64_t n : {1, 2, 3}) {
    for (const ModelKind kind : {ModelKind::plummer, ModelKind::uniform}) {
      ModelOptions model = options(kind);
      model.particles = n;
      EXPECT_EQ(make(model).particles.size(), n);
    }
  }
}

TEST(Models, RefuseOptionsByTheirKey) {
  const auto expect_refused = [](const std::string& key, const ModelOptions& model, const IcOptions& ic = {}) {
    try {
      (void)make(model, ic);
      ADD_FAILURE() << key << " accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  };
  ModelOptions sphere = options(ModelKind::sphere);
  IcOptions ic = small_ic(24);
  ic.grid = 1;
  expect_refused("ic.grid", sphere, ic);
  expect_refused("ic.lpt_order", sphere, small_ic(24, 4));
  expect_refused("ic.z_start", sphere, small_ic(-2));
  ic = small_ic(24);
  ic.transfer_file = "/nowhere";
  expect_refused("/nowhere", sphere, ic);
  sphere.box_size = 100;
  expect_refused("model.box_size", sphere);
  ModelOptions model = options(ModelKind::plummer);
  model.particles = 0;
  expect_refused("model.particles", model);
  model = options(ModelKind::two_body);
  model.eccentricity = 1;
  expect_refused("model.eccentricity", model);
  model = options(ModelKind::uniform);
  model.radius = -1;
  expect_refused("model.radius", model);
  model = options(ModelKind::hubble_lattice);
  model.jitter = 2;
  expect_refused("model.jitter", model);
  EXPECT_THROW(make(options(ModelKind::file)), Error);
}

}  // namespace
}  // namespace multiwalk
