// SPDX-License-Identifier: GPL-3.0-or-later
// Lattice sums against published constants, identities and brute force; the table and the back end against both.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "host/base/error.hpp"
#include "host/exact/ewald.hpp"
#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "host/gravity/ewald_lattice.hpp"
#include "host/gravity/ewald_table.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

using std::numbers::pi;

constexpr double own_images = -2.837297479480619;  // of the simple cubic lattice: potential per G m/L, sign of m/R

Vec3d pull(const ForceSum<double>& sum) {
  return {sum.x, sum.y, sum.z};
}

/// One unit mass at separation d in a box of side 1.
ForceSum<double> one(Vec3d d, const EwaldLaw& law = {1, 0, EwaldMethod::exact}) {
  const float mass = 1;
  return ewald_sum({&d, 1}, {&mass, 1}, {0, 0, 0}, law);
}

std::vector<Vec3d> separations(std::size_t n) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  std::vector<Vec3d> d(n);
  for (Vec3d& x : d) x = {uniform(random), uniform(random), uniform(random)};
  return d;
}

double largest_difference(const ForceSum<double>& a, const ForceSum<double>& b) {
  return std::max(norm(pull(a) - pull(b)), std::fabs(a.potential - b.potential));
}

TEST(EwaldLattice, DoesNotDependOnAlpha) {
  const EwaldLattice used;
  for (const double alpha : {2.0, 2.5, 3.5, 4.0}) {
    const EwaldLattice other(0, alpha);
    for (const Vec3d d : separations(300)) {
      EXPECT_LT(largest_difference(used.correction(d), other.correction(d)), 1e-13);
    }
    for (const double softening : {0.01, 0.1, 0.5}) {
      const EwaldLattice soft(softening), also(softening, alpha);
      for (const Vec3d d : separations(30)) {
        EXPECT_LT(largest_difference(soft.correction(d), also.correction(d)), 1e-12);
      }
    }
  }
}

TEST(EwaldLattice, PublishedConstants) {
  EXPECT_NEAR(EwaldLattice().correction({0, 0, 0}).potential, own_images, 1e-13);
  const double edge = one({0.5, 0, 0}).potential, face = one({0.5, 0.5, 0}).potential;
  const double centre = one({0.5, 0.5, 0.5}).potential;
  // Madelung's constants of NaCl and CsCl, by the distance of nearest neighbours.
  EXPECT_NEAR(own_images + 3 * face - 3 * edge - centre, -2 * 1.7475645946331822, 1e-13);
  EXPECT_NEAR(own_images - centre, -2 / std::numbers::sqrt3 * 1.7626747730709884, 1e-13);
}

TEST(EwaldLattice, NothingPullsWhereTheLatticeIsSymmetric) {
  for (const Vec3d d : {Vec3d{0.5, 0, 0}, {0, 0.5, 0.5}, {0.5, 0.5, 0.5}}) EXPECT_LT(norm(pull(one(d))), 1e-13);
  EXPECT_LT(norm(pull(one({0, 0, 0}))), 1e-18);
}

TEST(EwaldLattice, HasTheSymmetriesOfTheCube) {
  const EwaldLattice lattice;
  for (const Vec3d d : separations(50)) {
    const ForceSum<double> at = lattice.correction(d);
    EXPECT_LT(largest_difference(lattice.correction(-d), {-at.x, -at.y, -at.z, at.potential}), 1e-14);
    EXPECT_LT(largest_difference(lattice.correction({d.y, d.z, d.x}), {at.y, at.z, at.x, at.potential}), 1e-13);
    EXPECT_LT(largest_difference(lattice.correction({d.x, -d.y, d.z}), {at.x, -at.y, at.z, at.potential}), 1e-13);
  }
}

void expect_eight_make_one(double softening) {
  for (const Vec3d d : separations(20)) {
    ForceSum<double> sum;
    for (int k = 0; k < 8; ++k) {
      const Vec3d apart = 0.5 * d + 0.5 * Vec3d{double(k & 1), double(k >> 1 & 1), double(k >> 2)};
      const ForceSum<double> part = one(apart, {1, softening / 2, EwaldMethod::exact});
      sum.x += part.x;
      sum.y += part.y;
      sum.z += part.z;
      sum.potential += part.potential;
    }
    const ForceSum<double> finer = one(d, {1, softening, EwaldMethod::exact});
    EXPECT_LT(norm(pull(sum) - 4.0 * pull(finer)), 1e-12 * (1 + norm(pull(sum))));
    EXPECT_NEAR(sum.potential, 2 * finer.potential, 1e-12 * (1 + std::fabs(sum.potential)));
  }
}

/// A lattice of eight times as many masses is the same lattice, scaled with its softening: holds for the potential only
/// if its mean is 0.
TEST(EwaldLattice, EightLatticesMakeAFinerOne) {
  for (const double softening : {0.0, 0.02, 0.15}) expect_eight_make_one(softening);
}

/// All images under a window exp(-r^2/R^2) less the background under the same: off by a power series in 1/R^2.
ForceSum<double> windowed(Vec3d d, double window2) {
  const int reach = static_cast<int>(6 * std::sqrt(window2)) + 1;
  ForceSum<double> sum;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -reach; k <= reach; ++k) {
        const Vec3d r{d.x + i, d.y + j, d.z + k};
        const double r2 = norm2(r);
        accumulate_monopole<false>(r, std::exp(-r2 / window2), 0.0, sum);
      }
  sum.potential -= 2 * pi * window2;
  return sum;
}

ForceSum<double> extrapolated(const ForceSum<double>& coarse, const ForceSum<double>& fine, double factor) {
  const auto better = [&](double a, double b) { return (factor * b - a) / (factor - 1); };
  return {better(coarse.x, fine.x), better(coarse.y, fine.y), better(coarse.z, fine.z),
          better(coarse.potential, fine.potential)};
}

TEST(EwaldLattice, IsTheSumOverManyShellsOfImages) {
  for (const Vec3d d : {Vec3d{0.3, 0.1, 0.05}, {0.45, 0.4, -0.2}, {-0.02, 0.01, 0.03}, {0.25, 0, 0}}) {
    const ForceSum<double> a = windowed(d, 8), b = windowed(d, 16), c = windowed(d, 32);
    const ForceSum<double> sum = extrapolated(extrapolated(a, b, 2), extrapolated(b, c, 2), 4);
    EXPECT_LT(norm(pull(sum) - pull(one(d))), 1e-6 * (1 + norm(pull(sum))));
    EXPECT_NEAR(sum.potential, one(d).potential, 1e-6 * (1 + std::fabs(sum.potential)));
  }
}

TEST(EwaldLattice, ClosePairsAreNewtons) {
  const EwaldLattice lattice;
  const Vec3d direction{0.6, 0, -0.8};
  for (const double r : {1e-2, 1e-4, 1e-8, 1e-30}) {
    // What is left is the background inside r, to the order of the lattice's octupole.
    EXPECT_LT(norm(pull(lattice.correction(r * direction)) + 4 * pi / 3 * r * direction), 20 * r * r * r + 1e-15);
    EXPECT_NEAR(norm(pull(one(r * direction))) * r * r, 1, 4 * pi / 3 * r * r * r + 1e-14);
  }
}

TEST(EwaldTable, IsWithinItsErrors) {
  const EwaldLaw fast{1, 0, EwaldMethod::tabulated};
  double worst = 0, square = 0, worst_potential = 0;
  const std::vector<Vec3d> sample = separations(3000);
  for (const Vec3d d : sample) {
    const ForceSum<double> exact = one(d), tabulated = one(d, fast);
    const double error = norm(pull(tabulated) - pull(exact));
    worst = larger_error(worst, error);
    square += error * error;
    worst_potential = larger_error(worst_potential, std::fabs(tabulated.potential - exact.potential));
  }
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(std::sqrt(square / static_cast<double>(sample.size())), 1.6e-7);
  EXPECT_LT(worst_potential, 1e-6);
  for (const Vec3d d : {Vec3d{0.5, 0.5, 0.5}, {-0.5, 0.5, 0}, {0.49999, -0.5, 1e-9}, {0, 0, 0}}) {
    EXPECT_LT(norm(pull(one(d, fast)) - pull(one(d))), 1e-6);
  }
}

/// A lattice of 8^3 masses, each up to 2 % of the spacing off its place.
ParticleStore near_uniform(double side) {
  constexpr std::uint32_t n = 8;
  ParticleStore store = test::uniform_cube(n * n * n);
  for (std::uint32_t i = 0; i < store.size(); ++i) {
    const Vec3d site{double(i % n), double(i / n % n), double(i / n / n)};
    store.position[i] = side / n * (site + 0.02 * store.position[i]);
    store.mass[i] = 1.0F / (n * n * n);
  }
  return store;
}

std::vector<std::uint32_t> every(std::size_t stride, std::size_t n) {
  std::vector<std::uint32_t> targets;
  for (std::size_t i = 0; i < n; i += stride) targets.push_back(static_cast<std::uint32_t>(i));
  return targets;
}

std::vector<ForceSum<double>> ewald_sums(const ParticleStore& box, std::span<const std::uint32_t> targets,
                                         const EwaldLaw& law) {
  const EwaldSum sum(law);
  std::vector<ForceSum<double>> sums(targets.size());
#pragma omp parallel for schedule(dynamic, 4)
  for (std::size_t t = 0; t < targets.size(); ++t) sums[t] = sum(box.position, box.mass, box.position[targets[t]]);
  return sums;
}

double rms_pull(const std::vector<ForceSum<double>>& sums) {
  double square = 0;
  for (const ForceSum<double>& sum : sums) square += norm2(pull(sum));
  return std::sqrt(square / static_cast<double>(sums.size()));
}

TEST(EwaldSums, TheTableIsFarBelowTheForcesOfANearlyUniformBox) {
  const ParticleStore box = near_uniform(1);
  const std::vector<std::uint32_t> targets = every(16, box.size());
  const auto exact = ewald_sums(box, targets, {1, 0.005, EwaldMethod::exact});
  const auto fast = ewald_sums(box, targets, {1, 0.005});
  double error = 0;
  for (std::size_t t = 0; t < targets.size(); ++t) error = std::max(error, norm(pull(fast[t]) - pull(exact[t])));
  EXPECT_LT(error, 5e-7 * rms_pull(exact));
}

TEST(EwaldSums, EveryInstructionSetSumsTheSame) {
  const ParticleStore box = test::uniform_cube(301);
  const ForceSum<double> exact = ewald_sum(box.position, box.mass, box.position[7], {1, 0.01, EwaldMethod::exact});
  const auto table = ewald_table(0.01);
  for (const SimdKernels* kernels : available_simd_kernels()) {
    const ForceSum<double> sum =
        kernels->ewald(box.position.data(), box.mass.data(), box.size(), box.position[7], {1, 1e-4, table->data()});
    EXPECT_LT(largest_difference(sum, exact), 1e-7 * norm(pull(exact))) << kernels->name;
  }
}

TEST(EwaldSums, ScaleWithTheBoxAndWrap) {
  constexpr double side = 40;
  ParticleStore box = test::uniform_cube(200);
  const Vec3d target = box.position[3];
  for (const EwaldMethod method : {EwaldMethod::exact, EwaldMethod::tabulated}) {
    const ForceSum<double> unit = ewald_sum(box.position, box.mass, target, {1, 0.01, method});
    ParticleStore far = box;
    for (std::size_t i = 0; i < far.size(); ++i) {
      far.position[i] = side * (far.position[i] + Vec3d{double(i % 3), -double(i % 5), double(i % 2)});
    }
    const ForceSum<double> sum = ewald_sum(far.position, far.mass, side * target, {side, 0.01 * side, method});
    EXPECT_LT(norm(side * side * pull(sum) - pull(unit)), 1e-11 * norm(pull(unit)));
    EXPECT_NEAR(side * sum.potential, unit.potential, 1e-11 * std::fabs(unit.potential));
  }
}

/// What softening changes, image by image: the pull falls as eps^2/r^4, the rest beyond the last shell as 1/r^2.
Vec3d change_by_softening(Vec3d d, double eps, int shells) {
  ForceSum<double> soft, hard;
  for (int i = -shells; i <= shells; ++i) {
    for (int j = -shells; j <= shells; ++j) {
      for (int k = -shells; k <= shells; ++k) {
        const Vec3d image = d + Vec3d{double(i), double(j), double(k)};
        if (norm(image) > shells) continue;
        accumulate_monopole<true>(image, 1.0, eps * eps, soft);
        accumulate_monopole<false>(image, 1.0, 0.0, hard);
      }
    }
  }
  return pull(soft) - pull(hard);
}

TEST(EwaldSums, EveryImageIsSoftened) {
  const float mass = 1;
  const auto at = [&](const EwaldSum& sum, Vec3d d) { return sum({&d, 1}, {&mass, 1}, {0, 0, 0}); };
  for (const EwaldMethod method : {EwaldMethod::exact, EwaldMethod::tabulated}) {
    const EwaldSum hard({1, 0, method});
    EXPECT_NEAR(at(hard, {0, 0, 0}).potential, own_images, 1e-9);
    for (const double eps : {0.003, 0.1}) {
      const EwaldSum soft({1, eps, method});
      for (const Vec3d d : {Vec3d{0.2, -0.1, 0.3}, {0.45, 0.02, 0.4}, {0.01, 0.02, 0}}) {
        const Vec3d change = pull(at(soft, d)) - pull(at(hard, d));
        EXPECT_LT(norm(change - change_by_softening(d, eps, 20)), 1e-2 * eps * eps + 1e-6) << eps;
      }
      const double images = EwaldLattice(eps).correction({0, 0, 0}).potential;
      EXPECT_NEAR(at(soft, {0, 0, 0}).potential, 1 / eps + images, 1e-9);
    }
  }
}

TEST(EwaldTable, IsWithinItsErrorsWithSoftening) {
  for (const double eps : {0.02, 0.3}) {
    double worst = 0;
    for (const Vec3d d : separations(200)) {
      const ForceSum<double> exact = one(d, {1, eps, EwaldMethod::exact});
      worst = larger_error(worst, largest_difference(exact, one(d, {1, eps, EwaldMethod::tabulated})));
    }
    EXPECT_LT(worst, 1e-6) << eps;
  }
}

PairLaw periodic_law(double side) {
  return {43, 0.01 * side, MultipoleOrder::monopole, side};
}

TEST(EwaldBackend, GivesEveryParticleItsSum) {
  constexpr double side = 20;
  ParticleStore box = near_uniform(side);
  const auto backend = make_ewald_backend();
  EXPECT_EQ(backend->name(), "ewald");
  const PairLaw law = periodic_law(side);
  const ForceStatistics statistics = GravitySolver({}, *backend).accelerate(box, law);
  EXPECT_EQ(statistics.raw.particle_pairs, box.size() * box.size());
  const std::vector<std::uint32_t> targets = every(32, box.size());
  const auto exact = ewald_sums(box, targets, {side, law.softening, EwaldMethod::exact});
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const std::uint32_t i = targets[t];
    const Vec3d a = law.gravitational_constant * pull(exact[t]);
    const double own = static_cast<double>(box.mass[i]) / law.softening;
    const double potential = -law.gravitational_constant * (exact[t].potential - own);
    EXPECT_LT(norm(Vec3d(box.acceleration[i]) - a), 1e-6 * law.gravitational_constant * rms_pull(exact));
    EXPECT_NEAR(static_cast<double>(box.potential[i]), potential, 1e-6 * std::fabs(potential) + 1e-8);
  }
}

/// The images of a lone particle and the background.
TEST(EwaldBackend, ALoneParticleHasThePotentialOfItsImages) {
  ParticleStore one_particle = test::uniform_cube(1);
  GravitySolver({}, *make_ewald_backend()).accelerate(one_particle, periodic_law(5));
  EXPECT_NEAR(static_cast<double>(one_particle.potential[0]),
              -EwaldLattice(0.01).correction({0, 0, 0}).potential * 43 * static_cast<double>(one_particle.mass[0]) / 5,
              1e-5);
  EXPECT_LT(norm(one_particle.acceleration[0]), 1e-18F);
}

TEST(EwaldBackend, ServesPeriodicBoxesAlone) {
  ParticleStore box = test::uniform_cube(10);
  const PairLaw periodic = periodic_law(1), vacuum;
  EXPECT_THROW(GravitySolver({}, *make_ewald_backend()).accelerate(box, vacuum), InputError);
  for (const bool all_pairs : {true, false}) {
    EXPECT_THROW(GravitySolver({}, *make_reference_backend(all_pairs)).accelerate(box, periodic), InputError);
  }
  EXPECT_THROW(GravitySolver({}, *make_simd_backend()).accelerate(box, periodic), InputError);
}

}  // namespace
}  // namespace multiwalk
