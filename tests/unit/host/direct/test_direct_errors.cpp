// SPDX-License-Identifier: GPL-3.0-or-later
// Largest errors of direct sums of a Plummer sphere of equal masses, against Hamada & Iitaka (2007), Table 2.
#include <gtest/gtest.h>

#include <cstdio>

#include "host/simd/simd_kernels.hpp"
#include "tests/unit/host/direct/direct_models.hpp"

namespace multiwalk {
namespace {

using test::Cluster;
using test::DirectResults;
using test::summed;

struct ErrorTable {
  std::size_t n, sample;
  double papers;  ///< Chamomile's
};

double error(DirectBackend& backend, const Cluster& cluster, std::size_t sample, double softening2,
             DirectPrecision precision, const DirectResults& truth) {
  DirectResults got(sample);
  DirectTask task = cluster.task(got, softening2, precision);
  task.jerk = {};
  backend.sum(task);
  return test::worst(got.acceleration, truth.acceleration);
}

/// Sampled where the sphere is large: positions are in random order.
class DirectErrors : public testing::TestWithParam<ErrorTable> {};
INSTANTIATE_TEST_SUITE_P(Plummer, DirectErrors,
                         testing::Values(ErrorTable{2048, 2048, 5.4e-7}, ErrorTable{32768, 512, 5.4e-7},
                                         ErrorTable{131072, 64, 1.5e-6}),
                         [](const auto& table) { return std::to_string(table.param.n); });

TEST_P(DirectErrors, AreThePapersAtMost) {
  const ErrorTable table = GetParam();
  const auto n = table.n;
  const auto sample = table.sample;
  const auto papers = table.papers;
  const Cluster cluster(n, true);
  const auto exact = make_simd_direct_backend(1);
  DirectResults truth(sample), sharp(sample);
  for (const double softening2 : {0.01, 0.0}) {
    DirectTask task = cluster.task(softening2 > 0 ? truth : sharp, softening2, {Accumulation::full, Splitting::single});
    task.jerk = {};
    exact->sum(task);
  }
  for (const SimdKernels* kernels : available_simd_kernels()) {
    const auto backend = make_simd_direct_backend(1, kernels->name);
    const auto at = [&](Accumulation accumulation, Splitting splitting, bool softened) {
      return error(*backend, cluster, sample, softened ? 0.01 : 0, {accumulation, splitting}, softened ? truth : sharp);
    };
    using enum Accumulation;
    const double plain_error = at(plain, Splitting::single, true), partial = at(chamomile, Splitting::single, true);
    std::printf(
        "N = %zu, %s: plain %.1e, chamomile %.1e, compensated %.1e, mixed %.1e; hi/lo %.1e, %.1e, at eps = 0 "
        "%.1e, %.1e, single %.1e\n",
        n, kernels->name.data(), plain_error, partial, at(compensated, Splitting::single, true),
        at(mixed, Splitting::single, true), at(compensated, Splitting::hi_lo, true), at(mixed, Splitting::hi_lo, true),
        at(compensated, Splitting::hi_lo, false), at(mixed, Splitting::hi_lo, false),
        at(mixed, Splitting::single, false));
    EXPECT_LE(partial, papers);
    EXPECT_LE(at(compensated, Splitting::single, true), 1e-6);
    EXPECT_LE(at(mixed, Splitting::single, true), 1e-6);
    for (const bool softened : {true, false}) {
      EXPECT_LE(at(compensated, Splitting::hi_lo, softened), 1e-6);
      EXPECT_LE(at(mixed, Splitting::hi_lo, softened), 1e-6);
    }
    EXPECT_LE(plain_error, 2.2e-5);
  }
}

}  // namespace
}  // namespace multiwalk
