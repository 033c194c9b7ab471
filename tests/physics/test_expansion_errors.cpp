// SPDX-License-Identifier: GPL-3.0-or-later
// What local expansions add to force errors: at most 8% of the median and 12% of the 99% error, for every criterion
// that shares walks, softened or not, while half of the cells and more are expanded.
#include <gtest/gtest.h>

#include <cstdio>

#include "analysis/forces/force_error.hpp"
#include "host/force/gravity_solver.hpp"
#include "host/force/simd_backend.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

struct ExpansionCase {
  Mac mac;
  double parameter;  ///< theta or alpha
  double softening;
};

struct MeasuredExpansion {
  ErrorPercentiles error;
  RawCount raw;
};

MeasuredExpansion measure_expansion(const ExpansionCase& c, int expansion) {
  GravityOptions options;
  options.mac = c.mac;
  (c.mac == Mac::relative ? options.alpha : options.theta) = c.parameter;
  options.group_size = 64;
  options.expansion = expansion;
  const PairLaw law{1, c.softening, MultipoleOrder::quadrupole};
  ParticleStore store = test::plummer(40000);
  const auto backend = make_simd_backend();
  GravitySolver solver(options, *backend);
  MeasuredExpansion measured;
  if (c.mac == Mac::relative) solver.accelerate(store, law);
  measured.raw = solver.accelerate(store, law).raw;
  measured.error = measure_force_error(store, law, {2000}).total;
  return measured;
}

class ExpansionErrors : public testing::TestWithParam<ExpansionCase> {};

TEST_P(ExpansionErrors, AreSmallBesideThoseOfTheWalk) {
  const ExpansionCase c = GetParam();
  const MeasuredExpansion plain = measure_expansion(c, 0);
  for (const int order : {3, 4, 5, 6}) {
    const MeasuredExpansion with = measure_expansion(c, order);
    std::printf(
        "%s %g, softening %g, order %d: median %.2e (%.2e), 99%% %.2e (%.2e); %.0f cells per group expanded, "
        "%.1f of %.1f cells per particle left\n",
        mac_words[static_cast<std::size_t>(c.mac)].name.data(), c.parameter, c.softening, order, with.error.median,
        plain.error.median, with.error.p99, plain.error.p99,
        static_cast<double>(with.raw.expansions) / static_cast<double>(with.raw.walks),
        static_cast<double>(with.raw.cell_pairs) / 40000, static_cast<double>(plain.raw.cell_pairs) / 40000);
    EXPECT_LT(with.error.median, 1.08 * plain.error.median);
    EXPECT_LT(with.error.p99, 1.12 * plain.error.p99);
    // The relative criterion's old accelerations differ a little.
    EXPECT_NEAR(static_cast<double>(with.raw.particle_pairs) / static_cast<double>(plain.raw.particle_pairs), 1, 1e-4);
    EXPECT_LT(with.raw.cell_pairs, (order == 3 ? 0.9 : 0.6) * static_cast<double>(plain.raw.cell_pairs));
  }
}

INSTANTIATE_TEST_SUITE_P(Plummer, ExpansionErrors,
                         testing::Values(ExpansionCase{Mac::relative, 0.005, 0.01},
                                         ExpansionCase{Mac::relative, 0.0005, 0},
                                         ExpansionCase{Mac::barnes90, 0.6, 0.01}, ExpansionCase{Mac::barnes90, 0.4, 0},
                                         ExpansionCase{Mac::offset, 0.6, 0}));

}  // namespace
}  // namespace multiwalk
