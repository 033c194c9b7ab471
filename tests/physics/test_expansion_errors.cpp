// SPDX-License-Identifier: GPL-3.0-or-later
// What local expansions add to force errors: in a sphere at most 8% of the median and 12% of the 99% error, for every
// criterion that shares walks, softened or not, while half of the cells and more are expanded; in thin matter more.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>

#include "analysis/forces/force_error.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
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

MeasuredExpansion measure_expansion(const ExpansionCase& c, int expansion, ParticleStore store = test::plummer(40000)) {
  GravityOptions options;
  options.mac = c.mac;
  (c.mac == Mac::relative ? options.alpha : options.theta) = c.parameter;
  options.group_size = 64;
  options.expansion = expansion;
  const PairLaw law{1, c.softening, MultipoleOrder::quadrupole};
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

/// `make` gives the place of each particle.
template <class Make>
ParticleStore matter(Make make) {
  std::mt19937_64 engine(7);
  ParticleStore store = test::plummer(20000);
  for (Vec3d& x : store.position) x = make(engine);
  return store;
}

ParticleStore thin_disc() {
  return matter([](std::mt19937_64& engine) {
    const double r = -std::log(1 - std::uniform_real_distribution<>(0, 0.999)(engine));
    const double angle = std::uniform_real_distribution<>(0, 2 * std::numbers::pi)(engine);
    return Vec3d{r * std::cos(angle), r * std::sin(angle), std::normal_distribution<>(0, 1e-3)(engine)};
  });
}

ParticleStore thin_filament() {
  return matter([](std::mt19937_64& engine) {
    std::normal_distribution<> across(0, 1e-4);
    const double x = std::uniform_real_distribution<>(-1, 1)(engine), y = across(engine);
    return Vec3d{x, y, across(engine)};
  });
}

/// As EXPANSIONS.md has it: a group's corners, which the condition counts, are where its particles are.
TEST(ThinMatter, ExpansionsAddMore) {
  struct Case {
    const char* name;
    ExpansionCase with;
    double median, p99;  ///< most, of those of the plain walk
  };
  const ExpansionCase relative{Mac::relative, 0.005, 1e-3}, angle{Mac::barnes90, 0.6, 1e-3};
  for (const auto& [name, c, median, p99] : {Case{"disc", relative, 1.5, 2.1},
                                             {"disc", angle, 1.35, 1.4},
                                             {"filament", relative, 1.6, 1.9},
                                             {"filament", angle, 2.5, 2.1}}) {
    const ParticleStore store = name == std::string("disc") ? thin_disc() : thin_filament();
    const ErrorPercentiles plain = measure_expansion(c, 0, store).error, with = measure_expansion(c, 5, store).error;
    std::printf("%s, %s: median %.2e (%.2f of the plain walk's), 99%% %.2e (%.2f), largest %.2e (%.2f)\n", name,
                mac_words[static_cast<std::size_t>(c.mac)].name.data(), with.median, with.median / plain.median,
                with.p99, with.p99 / plain.p99, with.max, with.max / plain.max);
    EXPECT_LT(with.median, median * plain.median);
    EXPECT_LT(with.p99, p99 * plain.p99);
  }
}

INSTANTIATE_TEST_SUITE_P(Plummer, ExpansionErrors,
                         testing::Values(ExpansionCase{Mac::relative, 0.005, 0.01},
                                         ExpansionCase{Mac::relative, 0.0005, 0},
                                         ExpansionCase{Mac::barnes90, 0.6, 0.01}, ExpansionCase{Mac::barnes90, 0.4, 0},
                                         ExpansionCase{Mac::offset, 0.6, 0}));

}  // namespace
}  // namespace multiwalk
