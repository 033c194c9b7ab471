// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies so far away that single-precision differences of the others' places would vanish.
#include <gtest/gtest.h>

#include "host/simd/simd_kernels.hpp"
#include "tests/unit/host/direct/direct_models.hpp"

namespace multiwalk {
namespace {

using test::Cluster;
using test::DirectResults;
using test::summed;

TEST(FarBodies, DoNotSwitchOffThePullsOfTheOthers) {
  constexpr std::size_t n = 200;
  for (const double distance : {1e4, 1e7, 1e12}) {
    Cluster cluster(n);
    cluster.position.back() = {distance, 0, 0};
    cluster.mass.back() = 1e-12;
    const DirectResults exact = summed(*make_scalar_direct_backend(), cluster, n - 1, 2.5e-3);
    for (const Accumulation sums : {Accumulation::mixed, Accumulation::full}) {
      DirectPrecision precision;
      precision.accumulation = sums;
      const DirectResults got = summed(*make_simd_direct_backend(1), cluster, n - 1, 2.5e-3, precision);
      EXPECT_LT(test::worst(got.acceleration, exact.acceleration), 1e-5) << distance;
      EXPECT_LT(test::worst(got.jerk, exact.jerk), 1e-4) << distance;
    }
  }
}

}  // namespace
}  // namespace multiwalk
