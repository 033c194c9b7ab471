// SPDX-License-Identifier: GPL-3.0-or-later
// Forces with local expansions: the same from every CPU back end, and none where they do not pay.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"
#include "host/gravity/local_expansion.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/active_targets.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

constexpr PairLaw expanded_law{1, 0.01, MultipoleOrder::quadrupole};

GravityOptions options_with(int expansion, Mac mac = Mac::relative) {
  GravityOptions options;
  options.mac = mac;
  options.alpha = 0.002;
  options.group_size = 64;
  options.expansion = expansion;
  return options;
}

struct ExpandedResult {
  ParticleStore store;
  RawCount raw;
};

ExpandedResult evaluate_expanded(ForceBackend& backend, const GravityOptions& options) {
  ExpandedResult result{test::plummer(6000), {}};
  GravitySolver solver(options, backend, 1);
  solver.accelerate(result.store, expanded_law);
  result.raw = solver.accelerate(result.store, expanded_law).raw;
  return result;
}

double largest_expanded_difference(const ParticleStore& a, const ParticleStore& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = larger_error(worst, static_cast<double>(norm(a.acceleration[i] - b.acceleration[i])) /
                                    static_cast<double>(norm(b.acceleration[i])));
    worst = larger_error(worst, std::fabs(static_cast<double>(a.potential[i] / b.potential[i]) - 1));
  }
  return worst;
}

class Expansions : public testing::TestWithParam<int> {};

TEST_P(Expansions, AgreeWithDoublePrecisionOnEveryInstructionSet) {
  const GravityOptions options = options_with(GetParam(), Mac::barnes90);
  const ExpandedResult exact = evaluate_expanded(*make_reference_backend(false), options);
  EXPECT_GT(exact.raw.expansions, exact.raw.walks / 2);
  for (const SimdKernels* kernels : available_simd_kernels()) {
    const ExpandedResult single = evaluate_expanded(*make_simd_backend(kernels->name), options);
    EXPECT_EQ(single.raw.expansions, exact.raw.expansions) << kernels->name;
    EXPECT_LT(largest_expanded_difference(single.store, exact.store), 5e-6) << kernels->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, Expansions, testing::Range(3, most_expansion_order + 1));

/// Lengths of any unit stay in the range of single precision.
TEST(Expansions, DoNotDependOnTheUnitOfLength) {
  const GravityOptions options = options_with(5, Mac::barnes90);
  const auto backend = make_simd_backend();
  for (const double unit : {0x1p-20, 0x1p30}) {
    ParticleStore store = test::plummer(6000), scaled = store;
    for (Vec3d& x : scaled.position) x *= unit;
    GravitySolver solver(options, *backend, 1);
    solver.accelerate(store, expanded_law);
    PairLaw other = expanded_law;
    other.softening *= unit;
    other.gravitational_constant = unit * unit;
    solver.accelerate(scaled, other);
    for (std::size_t i = 0; i < store.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(norm(scaled.acceleration[i] - store.acceleration[i])), 0,
                  1e-5 * static_cast<double>(norm(store.acceleration[i])));
    }
  }
}

TEST(Expansions, AreNotMadeOfMonopolesNorForSingleTargets) {
  const auto backend = make_simd_backend();
  GravityOptions monopoles = options_with(5), single = options_with(5, Mac::bh86);
  monopoles.multipole = MultipoleOrder::monopole;
  for (GravityOptions options : {monopoles, single}) {
    const ExpandedResult with = evaluate_expanded(*backend, options);
    options.expansion = 0;
    const ExpandedResult without = evaluate_expanded(*backend, options);
    EXPECT_EQ(with.raw.expansions, 0U);
    EXPECT_EQ(with.store.acceleration, without.store.acceleration);
    EXPECT_EQ(with.store.potential, without.store.potential);
  }
}

/// Their lists have the cells of plain ones, in another order.
TEST(Expansions, AreNotMadeForFewTargets) {
  const auto backend = make_simd_backend();
  GravityOptions options = options_with(5);
  options.group_size = 12;
  const ExpandedResult with = evaluate_expanded(*backend, options);
  options.expansion = 0;
  const ExpandedResult without = evaluate_expanded(*backend, options);
  EXPECT_EQ(with.raw.expansions, 0U);
  EXPECT_EQ(with.raw.cell_pairs, without.raw.cell_pairs);
  double worst = 0;
  for (std::size_t i = 0; i < with.store.size(); ++i) {
    const Vec3d a(with.store.acceleration[i]), b(without.store.acceleration[i]);
    worst = larger_error(worst, norm(a - b) / norm(b));
  }
  EXPECT_LT(worst, 2e-6);
}

/// An active particle is in a group with other targets than when all are active, and has nearly the same force.
TEST(Expansions, OfActiveTargetsFollowThoseOfAll) {
  const auto backend = make_simd_backend();
  ParticleStore store = test::on_rungs(6000, 0.5);
  GravitySolver solver(options_with(5), *backend, 1);
  solver.accelerate(store, expanded_law);
  solver.accelerate(store, expanded_law);
  const ParticleStore before = store;
  const RawCount raw = solver.accelerate(store, expanded_law, {.least_rung = 3}).raw;
  EXPECT_GT(raw.expansions, raw.walks);
  double worst = 0;
  for (std::size_t i = 0; i < store.size(); ++i) {
    worst = larger_error(worst, static_cast<double>(norm(store.acceleration[i] - before.acceleration[i])) /
                                    static_cast<double>(norm(before.acceleration[i])));
  }
  EXPECT_GT(worst, 0);
  EXPECT_LT(worst, 2e-3);
}

}  // namespace
}  // namespace multiwalk
