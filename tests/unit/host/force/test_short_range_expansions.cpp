// SPDX-License-Identifier: GPL-3.0-or-later
// Local expansions of the short-range part of a split force, of whole forces in a periodic box.
#include <gtest/gtest.h>

#include <cmath>

#include "host/force/simd_backend.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/periodic_models.hpp"

namespace multiwalk {
namespace {

struct ShortRangeResult {
  ParticleStore store;
  RawCount raw;
};

/// Pairs alone; the mesh's part does not depend on expansions.
ShortRangeResult evaluate_short_range(ForceBackend& backend, int expansion) {
  GravityOptions options;
  options.mac = Mac::barnes90;
  options.theta = 0.5;
  options.group_size = 64;
  options.expansion = expansion;
  ShortRangeResult result{test::clusters_at_faces(8000), {}};
  const PairLaw law{1, 1e-4, MultipoleOrder::quadrupole, 1, {0.03, 0.15}};
  result.raw = GravitySolver(options, backend, 1).accelerate(result.store, law).raw;
  return result;
}

TEST(ShortRangeExpansions, FollowTheWalkOnEveryInstructionSet) {
  for (const SimdKernels* kernels : available_simd_kernels()) {
    const auto backend = make_simd_backend(kernels->name);
    const ShortRangeResult plain = evaluate_short_range(*backend, 0);
    for (const int order : {4, 6}) {
      const ShortRangeResult with = evaluate_short_range(*backend, order);
      EXPECT_GT(with.raw.expansions, 50U);
      double squares = 0, sizes = 0, worst = 0;
      for (std::size_t i = 0; i < plain.store.size(); ++i) {
        const double apart = static_cast<double>(norm(with.store.acceleration[i] - plain.store.acceleration[i]));
        const auto size = static_cast<double>(norm(plain.store.acceleration[i]));
        worst = larger_error(worst, apart / size);
        squares += apart * apart;
        sizes += size * size;
      }
      std::printf("%s, order %d: %.2e of the rms, %.2e at worst\n", kernels->name.data(), order,
                  std::sqrt(squares / sizes), worst);
      EXPECT_LT(std::sqrt(squares / sizes), 2e-5);
      EXPECT_LT(worst, 5e-4);
    }
  }
}

}  // namespace
}  // namespace multiwalk
