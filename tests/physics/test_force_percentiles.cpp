// SPDX-License-Identifier: GPL-3.0-or-later
// Force error percentiles of every criterion against an independent code's, Plummer N = 131072, no softening, leaf of
// 1, groups of at most 64: medians within a factor 1.5 both ways, 99 % at most 1.5 times, monotone in theta.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <ostream>

#include "analysis/forces/force_error.hpp"
#include "analysis/sums/sampling.hpp"
#include "host/exact/direct_sum.hpp"
#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

constexpr std::size_t particles = 131072;
constexpr std::uint64_t sample = 10000;

/// Truth by particle id for the sample, made once.
const std::map<std::uint64_t, Vec3d>& exact_accelerations(double softening) {
  static std::map<double, std::map<std::uint64_t, Vec3d>> all;
  std::map<std::uint64_t, Vec3d>& exact = all[softening];
  if (exact.empty()) {
    const ParticleStore store = test::plummer(particles);
    const std::vector<std::uint32_t> chosen = sample_by_id(store.id, {sample});
    std::vector<ForceSum<double>> sums(chosen.size());
#pragma omp parallel for schedule(dynamic, 4)
    for (std::size_t s = 0; s < chosen.size(); ++s)
      sums[s] = direct_sum(store.position, store.mass, store.position[chosen[s]], softening);
    for (std::size_t s = 0; s < chosen.size(); ++s) exact[store.id[chosen[s]]] = {sums[s].x, sums[s].y, sums[s].z};
  }
  return exact;
}

/// `parameter`: theta, or alpha of the relative criterion.
ErrorPercentiles measure(Mac mac, double parameter, MultipoleOrder order, double softening, double* list) {
  ParticleStore store = test::plummer(particles);
  GravityOptions options;
  options.mac = mac;
  const bool relative = mac == Mac::relative;
  options.theta = relative ? 0.7 : parameter;
  options.alpha = parameter;
  options.multipole = order;
  options.group_size = 27;  // 18 on average, as the reference's cells of at most 64
  options.leaf_size = 1;
  const auto backend = make_simd_backend();
  GravitySolver solver(options, *backend);
  // The relative criterion needs old accelerations: the first evaluation brings them.
  if (relative) solver.accelerate(store, {1, softening, order});
  const ForceStatistics statistics = solver.accelerate(store, {1, softening, order});
  *list = static_cast<double>(statistics.raw.total()) / static_cast<double>(particles);
  const auto& exact = exact_accelerations(softening);
  std::vector<double> errors;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const auto found = exact.find(store.id[i]);
    if (found != exact.end()) {
      errors.push_back(norm(Vec3d(store.acceleration[i]) - found->second) / norm(found->second));
    }
  }
  return percentiles(std::move(errors));
}

struct Expected {
  Mac mac;
  double theta, list;
  double mono_median, mono_p99, quad_median, quad_p99;
};

const char* name_of(Mac mac) {
  return mac == Mac::bh86 ? "bh86" : mac == Mac::barnes90 ? "barnes90" : mac == Mac::offset ? "offset" : "relative";
}

void PrintTo(const Expected& e, std::ostream* out) {
  *out << name_of(e.mac) << " theta " << e.theta;
}

class Percentiles : public testing::TestWithParam<Expected> {};

TEST_P(Percentiles, MatchTheReference) {
  const Expected e = GetParam();
  for (const MultipoleOrder order : {MultipoleOrder::monopole, MultipoleOrder::quadrupole}) {
    const bool mono = order == MultipoleOrder::monopole;
    double list = 0;
    const ErrorPercentiles measured = measure(e.mac, e.theta, order, 0, &list);
    std::printf("%-9s theta %.2f %-10s list %5.0f  median %.2e  90%% %.2e  99%% %.2e  max %.2e\n", name_of(e.mac),
                e.theta, mono ? "monopole" : "quadrupole", list, measured.median, measured.p90, measured.p99,
                measured.max);
    const double median = mono ? e.mono_median : e.quad_median;
    EXPECT_GE(measured.sample, sample);
    EXPECT_LT(measured.median, 1.5 * median);
    EXPECT_GT(measured.median, median / 1.5);
    EXPECT_LT(measured.p99, 1.5 * (mono ? e.mono_p99 : e.quad_p99));
    // Quadrupole walks take cells of two particles apart, which lengthens lists a little.
    EXPECT_NEAR(list / e.list, 1, mono ? 0.06 : 0.2);
  }
}

INSTANTIATE_TEST_SUITE_P(Plummer, Percentiles,
                         testing::Values(Expected{Mac::bh86, 0.3, 6026, 2.0e-4, 1.4e-3, 4.4e-5, 1.7e-4},
                                         Expected{Mac::bh86, 0.5, 1891, 8.9e-4, 5.3e-3, 3.0e-4, 1.5e-3},
                                         Expected{Mac::bh86, 0.75, 673, 3.4e-3, 1.6e-2, 1.7e-3, 7.4e-3},
                                         Expected{Mac::barnes90, 0.3, 7553, 1.0e-4, 7.7e-4, 2.6e-5, 1.1e-4},
                                         Expected{Mac::barnes90, 0.5, 2628, 4.5e-4, 2.8e-3, 1.5e-4, 6.7e-4},
                                         Expected{Mac::barnes90, 0.75, 1015, 1.8e-3, 7.6e-3, 8.8e-4, 4.6e-3},
                                         Expected{Mac::offset, 0.5, 3018, 3.8e-4, 2.6e-3, 1.2e-4, 6.0e-4},
                                         Expected{Mac::offset, 0.75, 1459, 1.1e-3, 6.7e-3, 6.0e-4, 3.5e-3}));

// OFFSET at 0.3 is not in the reference table: tighter than BARNES90 there, and monotone.
TEST(Percentiles, EveryCriterionIsMonotoneInTheta) {
  for (const Mac mac : {Mac::bh86, Mac::barnes90, Mac::offset, Mac::relative}) {
    for (const MultipoleOrder order : {MultipoleOrder::monopole, MultipoleOrder::quadrupole}) {
      ErrorPercentiles last;
      double last_list = 1e300;
      for (const double theta : {mac == Mac::offset ? 0.3 : 0.4, 0.55, 0.75}) {
        double list = 0;
        // The relative criterion's parameter is alpha: 0.0004 to 0.00075 here.
        const double parameter = mac == Mac::relative ? 1e-3 * theta : theta;
        const ErrorPercentiles now = measure(mac, parameter, order, 0.01, &list);
        std::printf("%-9s %.5f %-10s softened list %5.0f  median %.2e  99%% %.2e  max %.2e\n", name_of(mac), parameter,
                    order == MultipoleOrder::monopole ? "monopole" : "quadrupole", list, now.median, now.p99, now.max);
        EXPECT_GT(now.median, last.median);
        EXPECT_GT(now.p99, last.p99);
        EXPECT_LT(list, last_list);
        if (mac == Mac::offset && theta == 0.3) {
          EXPECT_LT(now.median, order == MultipoleOrder::monopole ? 1.2e-4 : 3e-5);
        }
        last = now;
        last_list = list;
      }
    }
  }
}

TEST(RelativeCriterion, ErrorFollowsAlphaAndBeatsBarnes90AtEqualListLength) {
  double list = 0, loose_list = 0, barnes_list = 0;
  const auto quadrupole = MultipoleOrder::quadrupole;
  const ErrorPercentiles tight = measure(Mac::relative, 0.0005, quadrupole, 0, &list);
  const ErrorPercentiles loose = measure(Mac::relative, 0.005, quadrupole, 0, &loose_list);
  const ErrorPercentiles barnes = measure(Mac::barnes90, 0.75, quadrupole, 0, &barnes_list);
  std::printf("relative alpha 0.0005 list %.0f median %.2e 99%% %.2e; alpha 0.005 list %.0f median %.2e 99%% %.2e\n",
              list, tight.median, tight.p99, loose_list, loose.median, loose.p99);
  EXPECT_LT(tight.median, 0.4 * loose.median);
  EXPECT_LT(tight.p99, 1e-3);
  EXPECT_LT(loose_list, 1.15 * barnes_list);
  EXPECT_LT(loose.p99, 0.5 * barnes.p99);
}

TEST(SoftenedForces, QuadrupolesGainWhereverTheSofteningIsFelt) {
  for (const double softening : {0.01, 0.1}) {
    double list = 0;
    const ErrorPercentiles mono = measure(Mac::barnes90, 0.5, MultipoleOrder::monopole, softening, &list);
    const ErrorPercentiles quad = measure(Mac::barnes90, 0.5, MultipoleOrder::quadrupole, softening, &list);
    std::printf("barnes90 theta 0.50 softening %.2f: monopole %.2e / %.2e, quadrupole %.2e / %.2e\n", softening,
                mono.median, mono.p99, quad.median, quad.p99);
    EXPECT_LT(quad.median, 0.5 * mono.median);
    EXPECT_LT(quad.p99, 0.5 * mono.p99);
  }
}

}  // namespace
}  // namespace multiwalk
