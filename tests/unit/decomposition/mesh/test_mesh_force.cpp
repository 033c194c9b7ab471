// SPDX-License-Identifier: GPL-3.0-or-later
// The long range of TreePM: of a plane wave, of pairs with their short range against Ewald's sum, of many particles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include "decomposition/mesh/mesh_force.hpp"
#include "host/base/error.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"
#include "tests/support/periodic_pairs.hpp"
#include "tests/support/short_range_sum.hpp"

namespace multiwalk {
namespace {

using std::numbers::pi;

struct Forces {
  std::vector<Vec3f> acceleration;
  std::vector<float> potential;
};

Forces forces_of(const PeriodicParticles& particles, double G, const MeshForceOptions& options) {
  Forces out{std::vector<Vec3f>(particles.position.size(), {9, 9, 9}),
             std::vector<float>(particles.position.size(), 9)};
  mesh_force(particles, G, options, out.acceleration, out.potential);
  return out;
}

/// Masses of a lattice as a wave. What is left are the images of the wave at N - n along each axis, which the windows
/// divided by lift to (n / (N - n))^4 of it.
TEST(MeshForce, PlaneWaveIsPulledAsByTheFormula) {
  const int lattice = 36;
  const double box = 30, G = 43, rs = 1.9;
  std::vector<Vec3d> position;
  for (int i = 0; i < lattice * lattice * lattice; ++i) {
    position.push_back(Vec3d{double(i / lattice / lattice), double(i / lattice % lattice), double(i % lattice)} *
                       (box / lattice));
  }
  for (const Vec3d n : {Vec3d{1, 0, 0}, Vec3d{-2, 3, 0}, Vec3d{1, -1, 4}}) {
    const Vec3d k = n * (2 * pi / box);
    std::vector<float> mass;
    for (const Vec3d& x : position) mass.push_back(static_cast<float>(2 + std::cos(dot(k, x) + 0.3)));
    const double mean = 2 * std::pow(lattice / box, 3), wave = mean / 2;
    const double amplitude = 4 * pi * G * wave / norm2(k) * std::exp(-norm2(k) * rs * rs);
    double images = 0;
    for (int axis = 0; axis < 3; ++axis) images += std::pow(n[axis] / (24 - std::fabs(n[axis])), 4);
    for (const bool interlacing : {false, true}) {
      const Forces found = forces_of({position, mass, box}, G, {24, rs, Assignment::pcs, interlacing});
      double worst = 0, worst_potential = 0;
      for (std::size_t i = 0; i < position.size(); ++i) {
        const double phase = dot(k, position[i]) + 0.3;
        worst = larger_error(worst, norm(Vec3d(found.acceleration[i]) + k * (amplitude * std::sin(phase))));
        const double own = G * mass[i] / (rs * std::sqrt(pi)) + 4 * pi * G * rs * rs * mean;
        worst_potential =
            larger_error(worst_potential, std::fabs(found.potential[i] - own + amplitude * std::cos(phase)));
      }
      const double tolerance = (interlacing ? 0.2 : 2) * images + 2e-6;
      EXPECT_LT(worst / (norm(k) * amplitude), tolerance) << norm(n) << (interlacing ? " interlaced" : "");
      EXPECT_LT(worst_potential / amplitude, tolerance) << norm(n) << (interlacing ? " interlaced" : "");
    }
  }
}

/// A unit mass and massless targets at random places about it, from a tenth of a cell to half the box.
struct Pairs {
  std::vector<Vec3d> position;  ///< the source first
  std::vector<test_models::PairPull> truth;
};

std::vector<Pairs> random_pairs(std::uint32_t cells) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::vector<Pairs> all(3);
  for (Pairs& pairs : all) {
    const Vec3d source{uniform(engine), uniform(engine), uniform(engine)};
    pairs = {{source}, {{}}};
    for (int target = 0; target < 1000; ++target) {
      const double nearest = 0.1 / cells, r = nearest * std::pow(0.5 / nearest, uniform(engine));
      const Vec3d n{normal(engine), normal(engine), normal(engine)};
      pairs.position.push_back(source - n * (r / norm(n)));
      pairs.truth.push_back(test_models::ewald_pair(n * (r / norm(n))));
    }
  }
  return all;
}

/// Of the whole pull relative to 1/r^2, and of the whole potential relative to 1/r.
struct PairErrors {
  double rms = 0, max = 0, potential_max = 0;
  double peak_rms = 0;  ///< largest of bins of rs/2 in r
};

PairErrors pair_errors(const std::vector<Pairs>& all, const MeshForceOptions& options) {
  constexpr std::size_t bins = 16;
  const double rs = options.split_scale;
  std::array<double, bins> squares{}, number{};
  PairErrors errors;
  for (const Pairs& pairs : all) {
    std::vector<float> mass(pairs.position.size(), 0);
    mass[0] = 1;
    const Forces found = forces_of({pairs.position, mass, 1}, 1, options);
    EXPECT_LT(norm(found.acceleration[0]) * rs * rs, 1e-7) << "pulls itself";
    for (std::size_t i = 1; i < mass.size(); ++i) {
      const Vec3d d = test_models::nearest_image(pairs.position[0] - pairs.position[i]);
      const double r = norm(d);
      const test_models::PairPull near = test_models::short_range_pair(d, rs), truth = pairs.truth[i];
      const double error = norm(Vec3d(found.acceleration[i]) + near.acceleration - truth.acceleration) * r * r;
      const double of_potential = std::fabs(found.potential[i] + near.potential - truth.potential) * r;
      const std::size_t bin = std::min(bins - 1, static_cast<std::size_t>(2 * r / rs));
      squares[bin] += error * error;
      number[bin] += 1;
      errors.max = std::max(errors.max, error);
      errors.potential_max = std::max(errors.potential_max, of_potential);
    }
  }
  errors.rms = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) /
                         std::accumulate(number.begin(), number.end(), 0.0));
  for (std::size_t b = 0; b < bins; ++b) {
    if (number[b] > 0) errors.peak_rms = std::max(errors.peak_rms, std::sqrt(squares[b] / number[b]));
  }
  return errors;
}

struct PairCase {
  Assignment assignment;
  const char* name;
  bool interlacing;
  double scale;          ///< rs in cells
  double peak_rms, max;  ///< expected
};

constexpr PairCase pair_cases[] = {
    {Assignment::cic, "cic", false, 1.25, 1.2e-2, 3.5e-2}, {Assignment::cic, "cic", false, 2.0, 4.7e-3, 1.1e-2},
    {Assignment::cic, "cic", true, 1.25, 3.0e-3, 8.1e-3},  {Assignment::cic, "cic", true, 2.0, 1.1e-3, 3.2e-3},
    {Assignment::tsc, "tsc", false, 1.25, 1.6e-3, 3.2e-3}, {Assignment::tsc, "tsc", false, 1.5, 9.0e-4, 1.9e-3},
    {Assignment::tsc, "tsc", false, 2.0, 3.3e-4, 7.3e-4},  {Assignment::tsc, "tsc", true, 1.25, 1.8e-4, 4.1e-4},
    {Assignment::tsc, "tsc", true, 1.5, 1.1e-4, 2.3e-4},   {Assignment::tsc, "tsc", true, 2.0, 4.2e-5, 9.9e-5},
    {Assignment::pcs, "pcs", false, 1.25, 2.9e-4, 5.6e-4}, {Assignment::pcs, "pcs", false, 1.5, 1.2e-4, 2.9e-4},
    {Assignment::pcs, "pcs", false, 2.0, 3.3e-5, 7.1e-5},  {Assignment::pcs, "pcs", true, 1.25, 1.3e-5, 3.3e-5},
    {Assignment::pcs, "pcs", true, 1.5, 5.8e-6, 1.5e-5},   {Assignment::pcs, "pcs", true, 2.0, 1.8e-6, 4.5e-6}};

TEST(MeshForce, PairsWithTheirShortRangeAreEwalds) {
  const std::uint32_t cells = 32;
  const std::vector<Pairs> pairs = random_pairs(cells);
  std::printf("rs in cells; error of the pull over 1/r^2: rms, largest rms at any distance, largest\n");
  for (const PairCase& c : pair_cases) {
    const PairErrors errors = pair_errors(pairs, {cells, c.scale / cells, c.assignment, c.interlacing});
    std::printf("%s%s rs %.2f: %.1e %.1e %.1e\n", c.name, c.interlacing ? " interlaced" : "", c.scale, errors.rms,
                errors.peak_rms, errors.max);
    EXPECT_LT(errors.peak_rms, 1.25 * c.peak_rms) << c.name << c.interlacing << " " << c.scale;
    EXPECT_LT(errors.max, 1.25 * c.max) << c.name << c.interlacing << " " << c.scale;
    EXPECT_LT(errors.potential_max, c.max) << c.name << c.interlacing << " " << c.scale;
  }
}

/// Pairs that end at a cut-off, where the mesh adds what they miss: potentials still average to zero over the box, and
/// a particle's own is that of its images (2.8372975, the lattice of Wigner).
TEST(MeshForce, PotentialsBesideCutPairsAreEwalds) {
  const std::uint32_t cells = 32;
  const Pairs pairs = random_pairs(cells)[0];
  std::vector<float> mass(pairs.position.size(), 0);
  mass[0] = 2;
  struct Case {
    double cutoff, potential, own;  ///< errors of 1 / rs
  };
  for (const Case& c : {Case{4.5, 3e-4, 4e-5}, {5.8, 2e-5, 1.5e-5}, {7, 2e-5, 1.5e-5}}) {
    const ForceSplit split{1.5 / cells, c.cutoff * 1.5 / cells};
    MeshForceOptions options{cells, split.scale, Assignment::pcs, true};
    options.pair_cutoff = split.cutoff;
    const Forces found = forces_of({pairs.position, mass, 1}, 3, options);
    const double own = std::fabs(found.potential[0] / 6 - 2.837297479) * split.scale;
    double worst = 0;
    for (std::size_t i = 1; i < mass.size(); ++i) {
      const Vec3d d = test_models::nearest_image(pairs.position[0] - pairs.position[i]);
      const double potential = found.potential[i] / 6 - test::short_range_pair(d, 0, split).potential;
      worst = larger_error(worst, std::fabs(potential - pairs.truth[i].potential) * split.scale);
    }
    std::printf("cut-off %.1f rs: potentials off by %.1e of 1/rs, the source's own by %.1e\n", c.cutoff, worst, own);
    EXPECT_LT(worst, c.potential);
    EXPECT_LT(own, c.own);
  }
}

TEST(MeshForce, MomentumIsConserved) {
  const ParticleStore store = test::uniform_cube(5000);
  for (const Assignment assignment : {Assignment::cic, Assignment::tsc, Assignment::pcs}) {
    for (const bool interlacing : {false, true}) {
      const Forces found = forces_of({store.position, store.mass, 1}, 1, {20, 1.25 / 20, assignment, interlacing});
      EXPECT_LT(test::net_force(found.acceleration, store.mass), 1e-8);
    }
  }
}

TEST(MeshForce, DoesNotKnowWhereTheBoxBegins) {
  ParticleStore store = test::uniform_cube(2000);
  const MeshForceOptions options{16, 0.1, Assignment::tsc, true};
  const Forces before = forces_of({store.position, store.mass, 1}, 1, options);
  for (Vec3d& x : store.position) x += Vec3d{3 / 16.0 - 5, 7 / 16.0 + 2, -1 / 16.0};
  const Forces after = forces_of({store.position, store.mass, 1}, 1, options);
  for (std::size_t i = 0; i < store.size(); ++i) {
    EXPECT_LT(norm(before.acceleration[i] - after.acceleration[i]), 1e-5 * norm(before.acceleration[i]) + 1e-6) << i;
    EXPECT_NEAR(before.potential[i], after.potential[i], 1e-5);
  }
}

TEST(MeshForce, PotentialMayBeLeftOut) {
  const ParticleStore store = test::uniform_cube(300);
  const PeriodicParticles particles{store.position, store.mass, 1};
  const MeshForceOptions options{12, 0.1};
  const Forces both = forces_of(particles, 2, options);
  std::vector<Vec3f> acceleration(store.size());
  mesh_force(particles, 2, options, acceleration, {});
  EXPECT_EQ(acceleration, both.acceleration);
}

TEST(MeshForce, RefusesNonsense) {
  const std::vector<Vec3d> position{{1, 2, 3}};
  const std::vector<float> mass{1};
  std::vector<Vec3f> acceleration(1), two(2);
  EXPECT_THROW(mesh_force({position, mass, 10}, 1, {8, 0}, acceleration, {}), InputError);
  EXPECT_THROW(mesh_force({position, mass, 10}, 1, {3, 1}, acceleration, {}), InputError);
  EXPECT_THROW(mesh_force({position, mass, 0}, 1, {8, 1}, acceleration, {}), InputError);
  EXPECT_THROW(mesh_force({position, mass, 10}, 1, {8, 1}, two, {}), Error);
}

}  // namespace
}  // namespace multiwalk
