// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions of one cell against its own multipole force, in double precision.
#include <gtest/gtest.h>

#include <cmath>

#include "host/gravity/local_expansion.hpp"

namespace multiwalk {
namespace {

constexpr double cell_mass = 2, series_softening2 = 0.04;
constexpr SecondMoment<double> cell_moment{0.1, 0.02, -0.03, 0.2, 0.01, 0.15};
constexpr SecondMoment<double> no_moment{0, 0, 0, 0, 0, 0};
const Vec3d cell_place{3.1, -2.2, 1.7};
const Vec3d series_place{0.3, -0.4, 0.5};

struct SeriesErrors {
  double force, potential;
};

template <class Exact>
SeriesErrors series_errors(const ForceSum<double>& found, const Exact& exact_force) {
  ForceSum<double> exact;
  exact_force(exact);
  const Vec3d difference{found.x - exact.x, found.y - exact.y, found.z - exact.z};
  return {norm(difference) / norm(Vec3d{exact.x, exact.y, exact.z}), std::fabs(found.potential / exact.potential - 1)};
}

/// At `scale` times the place, with lengths in units of `unit`.
template <int order>
SeriesErrors newton_errors(const SecondMoment<double>& s, double scale) {
  double term[expansion_terms(order)]{};
  add_expansion<order>(cell_place, cell_mass, s, NewtonDerivatives<double>{series_softening2}, term);
  const Vec3d u = scale * series_place;
  return series_errors(expanded_force<order>(term, u), [&](ForceSum<double>& sum) {
    accumulate_quadrupole<true>(cell_place - u, cell_mass, s, series_softening2, sum);
  });
}

template <int order>
SeriesErrors short_range_errors(double scale) {
  const ShortRange law({1.3, 6.5}, order);
  constexpr float unit = 2;
  constexpr double inverse = 0.5, inverse2 = inverse * inverse;
  const SecondMoment<double> scaled{inverse2 * cell_moment.xx, inverse2 * cell_moment.xy, inverse2 * cell_moment.xz,
                                    inverse2 * cell_moment.yy, inverse2 * cell_moment.yz, inverse2 * cell_moment.zz};
  double term[expansion_terms(order)]{};
  add_expansion<order>(inverse * cell_place, cell_mass, scaled,
                       ShortRangeDerivatives<double>(law, unit, inverse2 * series_softening2), term);
  const Vec3d u = scale * series_place;
  ForceSum<double> force = expanded_force<order>(term, inverse * u);
  for (double* component : {&force.x, &force.y, &force.z}) *component *= inverse2;
  force.potential *= inverse;
  return series_errors(force, [&](ForceSum<double>& sum) {
    accumulate_quadrupole<true>(cell_place - u, cell_mass, cell_moment, series_softening2, law, sum);
  });
}

/// A point mass's dropped terms are of order `order` in the force, of order + 1 in the potential.
template <int order>
void expect_convergence_of_points() {
  const SeriesErrors wide = newton_errors<order>(no_moment, 1), narrow = newton_errors<order>(no_moment, 0.25);
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
  EXPECT_LT(newton_errors<3>(cell_moment, 0.25).force, 5e-3);
  EXPECT_LT(newton_errors<4>(cell_moment, 0.25).force, 6e-4);
  EXPECT_LT(newton_errors<5>(cell_moment, 0.25).force, 6e-5);
  EXPECT_LT(newton_errors<6>(cell_moment, 0.25).force, 6e-6);
  EXPECT_LT(newton_errors<6>(cell_moment, 0.25).potential, 1e-8);
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
  const NewtonDerivatives<double> radial{series_softening2};
  const Vec3d far{-4, 5, 1};
  add_expansion<4>(cell_place, cell_mass, cell_moment, radial, first);
  add_expansion<4>(far, 3.0, no_moment, radial, other);
  add_expansion<4>(cell_place, cell_mass, cell_moment, radial, both);
  add_expansion<4>(far, 3.0, no_moment, radial, both);
  for (int n = 0; n < expansion_terms(4); ++n) EXPECT_DOUBLE_EQ(both[n], first[n] + other[n]);
}

TEST(LocalExpansion, TermsAreCountedByOrder) {
  EXPECT_EQ(expansion_terms(5), 56);
  int at = 0;
  for (const ExpansionPowers& powers : expansion_powers<5>.entry) EXPECT_EQ(powers.term(), at++);
}

}  // namespace
}  // namespace multiwalk
