// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions of one cell against its own multipole force, in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "host/gravity/local_expansion.hpp"

namespace multiwalk {
namespace {

constexpr double mass = 2, softening2 = 0.04;
constexpr SecondMoment<double> second{0.1, 0.02, -0.03, 0.2, 0.01, 0.15};
constexpr SecondMoment<double> point{0, 0, 0, 0, 0, 0};
const Vec3d cell{3.1, -2.2, 1.7};
const Vec3d place{0.3, -0.4, 0.5};

struct Errors {
  double force, potential;
};

template <class Exact>
Errors errors_of(const ForceSum<double>& found, const Exact& exact_force) {
  ForceSum<double> exact;
  exact_force(exact);
  const Vec3d difference{found.x - exact.x, found.y - exact.y, found.z - exact.z};
  return {norm(difference) / norm(Vec3d{exact.x, exact.y, exact.z}), std::fabs(found.potential / exact.potential - 1)};
}

/// At `scale` times the place, with lengths in units of `unit`.
template <int order>
Errors newton_errors(const SecondMoment<double>& s, double scale) {
  double term[expansion_terms(order)]{};
  add_expansion<order>(cell, mass, s, NewtonDerivatives<double>{softening2}, term);
  const Vec3d u = scale * place;
  return errors_of(expanded_force<order>(term, u),
                   [&](ForceSum<double>& sum) { accumulate_quadrupole<true>(cell - u, mass, s, softening2, sum); });
}

template <int order>
Errors short_range_errors(double scale) {
  const ShortRange law({1.3, 6.5}, order);
  constexpr float unit = 2;
  constexpr double inverse = 0.5, inverse2 = inverse * inverse;
  const SecondMoment<double> scaled{inverse2 * second.xx, inverse2 * second.xy, inverse2 * second.xz,
                                    inverse2 * second.yy, inverse2 * second.yz, inverse2 * second.zz};
  double term[expansion_terms(order)]{};
  add_expansion<order>(inverse * cell, mass, scaled, ShortRangeDerivatives<double>(law, unit, inverse2 * softening2),
                       term);
  const Vec3d u = scale * place;
  ForceSum<double> force = expanded_force<order>(term, inverse * u);
  for (double* component : {&force.x, &force.y, &force.z}) *component *= inverse2;
  force.potential *= inverse;
  return errors_of(
      force, [&](ForceSum<double>& sum) { accumulate_quadrupole<true>(cell - u, mass, second, softening2, law, sum); });
}

/// A point's dropped terms are of order `order` in the force, of order + 1 in the potential.
template <int order>
void expect_convergence_of_points() {
  const Errors wide = newton_errors<order>(point, 1), narrow = newton_errors<order>(point, 0.25);
  EXPECT_NEAR(std::log2(wide.force / narrow.force) / 2, order, 0.35) << "order " << order;
  EXPECT_GT(std::log2(wide.potential / narrow.potential) / 2, order + 0.4) << "order " << order;
}

TEST(LocalExpansion, OfPointsConvergeWithTheirOrder) {
  expect_convergence_of_points<1>();
  expect_convergence_of_points<2>();
  expect_convergence_of_points<3>();
  expect_convergence_of_points<4>();
  expect_convergence_of_points<5>();
  expect_convergence_of_points<6>();
}

TEST(LocalExpansion, OfQuadrupolesFollowTheirForce) {
  EXPECT_LT(newton_errors<3>(second, 0.25).force, 5e-3);
  EXPECT_LT(newton_errors<4>(second, 0.25).force, 6e-4);
  EXPECT_LT(newton_errors<5>(second, 0.25).force, 6e-5);
  EXPECT_LT(newton_errors<6>(second, 0.25).force, 6e-6);
  EXPECT_LT(newton_errors<6>(second, 0.25).potential, 1e-8);
}

/// The polynomials of the law are good to some 1e-6.
TEST(LocalExpansion, OfTheShortRangeForceFollowIt) {
  EXPECT_LT(short_range_errors<3>(0.25).force, 1e-2);
  EXPECT_LT(short_range_errors<4>(0.25).force, 1.5e-3);
  EXPECT_LT(short_range_errors<5>(0.25).force, 2e-4);
  EXPECT_LT(short_range_errors<6>(0.25).force, 3e-5);
  EXPECT_LT(short_range_errors<6>(0.25).potential, 3e-6);
}

TEST(LocalExpansion, OfCellsAddUp) {
  double both[expansion_terms(4)]{}, first[expansion_terms(4)]{}, other[expansion_terms(4)]{};
  const NewtonDerivatives<double> radial{softening2};
  const Vec3d far{-4, 5, 1};
  add_expansion<4>(cell, mass, second, radial, first);
  add_expansion<4>(far, 3.0, point, radial, other);
  add_expansion<4>(cell, mass, second, radial, both);
  add_expansion<4>(far, 3.0, point, radial, both);
  for (int n = 0; n < expansion_terms(4); ++n) EXPECT_DOUBLE_EQ(both[n], first[n] + other[n]);
}

TEST(LocalExpansion, TermsAreCountedByOrder) {
  EXPECT_EQ(expansion_terms(5), 56);
  int at = 0;
  for (const ExpansionPowers& powers : expansion_powers<5>.entry) EXPECT_EQ(powers.term(), at++);
}

}  // namespace
}  // namespace multiwalk
