// SPDX-License-Identifier: GPL-3.0-or-later
// Short-range forces of a split law: the pair's polynomials against the error function; trees of every instruction set
// against a double-precision sum over nearest images. Errors are in units of the rms pull.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "analysis/forces/force_error.hpp"
#include "host/force/simd_backend.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/periodic_models.hpp"
#include "tests/support/short_range_sum.hpp"

namespace multiwalk {
namespace {

using std::numbers::pi;

/// g1 and g3 of short_range.hpp by the series of erf(u)/u in u^2, in units of rs: no cancellation for u^2 <= 13.
double derivative_of_mesh(int n, double r) {
  // erf(r/2)/r = 1/sqrt(pi) sum_k (-1)^k (r/2)^2k / (k! (2k+1)); -1/r d/dr of r^2k is -2k r^(2k-2).
  double sum = 0, term = 1;
  for (int k = 0; k < 90; ++k) {
    if (k > 0) term *= -0.25 / k;
    double factor = 1;
    for (int j = 0; j < n; ++j) factor *= -2.0 * (k - j);
    if (k >= n) sum += term * factor * std::pow(r, 2 * (k - n)) / (2 * k + 1);
  }
  return sum / std::sqrt(pi);
}

TEST(ShortRange, PolynomialsAreWithinOnePartInAMillion) {
  for (const double cutoff : {4.5, 5.0, 6.0, 6.4, 7.0}) {
    for (const double scale : {1.0, 0.01, 300.0}) {
      const ShortRange law({scale, cutoff * scale});
      EXPECT_EQ(law.first_degree, cutoff <= 5 ? 9 : cutoff < 7 ? 11 : 13);
      for (int k = law.first_degree + 1; k <= ShortRange::degree; ++k) EXPECT_EQ(law.first[k], 0);
      const double slope = pair_end({1, cutoff}).slope;
      double worst = 0;
      for (int k = 0; k <= 2000; ++k) {
        const double r = cutoff * k / 2000;
        const auto y = static_cast<float>(static_cast<double>(law.stretch) * std::pow(r * scale, 2) - 1);
        const double g1 = static_cast<double>(short_range_polynomial(law.first, y)) * std::pow(scale, 3);
        const double g3 = static_cast<double>(short_range_polynomial(law.third, y)) * std::pow(scale, 7);
        worst = larger_error(worst, std::fabs(g1 - (derivative_of_mesh(1, r) + slope)) / derivative_of_mesh(1, 0));
        worst = larger_error(worst, std::fabs(g3 - derivative_of_mesh(3, r)) / derivative_of_mesh(3, 0));
        if (r > 0.5) {
          const double u = r / 2, exact = (std::erf(u) - 2 * u / std::sqrt(pi) * std::exp(-u * u)) / (r * r * r);
          EXPECT_NEAR(derivative_of_mesh(1, r), exact, 1e-9);
        }
      }
      EXPECT_LT(worst, 1e-6) << cutoff << ' ' << scale;
    }
  }
}

/// A cell's pull is minus the gradient of its potential, and second moments are those of a pair of points.
TEST(ShortRange, AQuadrupoleIsAPairOfPoints) {
  const ForceSplit split{1, 6};
  const ShortRange law(split);
  for (const double softening : {0.0, 0.3}) {
    for (const double r : {0.7, 1.5, 3.0, 5.0}) {
      const Vec3d d = r * Vec3d{2.0 / 3, -1.0 / 3, 2.0 / 3}, h{0.003, 0.006, -0.009};
      ForceSum<double> points, monopole, sum;
      for (const double side : {-1.0, 1.0}) {
        const ForceSum<double> p = test::short_range_pair(d + side * h, softening, split);
        points = {points.x + p.x, points.y + p.y, points.z + p.z, points.potential + p.potential};
      }
      const SecondMoment<double> s{2 * h.x * h.x, 2 * h.x * h.y, 2 * h.x * h.z,
                                   2 * h.y * h.y, 2 * h.y * h.z, 2 * h.z * h.z};
      const double softening2 = softening * softening;
      softening > 0 ? accumulate_quadrupole<true>(d, 2.0, s, softening2, law, sum)
                    : accumulate_quadrupole<false>(d, 2.0, s, softening2, law, sum);
      softening > 0 ? accumulate_monopole<true>(d, 2.0, softening2, law, monopole)
                    : accumulate_monopole<false>(d, 2.0, softening2, law, monopole);
      const auto apart = [&](const ForceSum<double>& a) {
        return norm(Vec3d{a.x - points.x, a.y - points.y, a.z - points.z});
      };
      const double newton = 2 / (r * r + softening2);
      EXPECT_LT(apart(sum), 3e-6 * newton) << r;
      EXPECT_LT(apart(sum), 0.05 * apart(monopole) + 5e-7 * newton) << r;
      EXPECT_NEAR(sum.potential, points.potential, 3e-6 * newton * r) << r;
    }
  }
}

constexpr auto monopole = MultipoleOrder::monopole, quadrupole = MultipoleOrder::quadrupole;

struct ShortRangeErrors {
  ErrorPercentiles pull;  ///< in units of the rms pull
  double potential;       ///< largest, in units of the largest potential or the own pair's
};

/// (particles) by id.
std::vector<ForceSum<double>> truth_about(const ParticleStore& store, const PairLaw& law) {
  std::vector<ForceSum<double>> truth(store.size());
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < store.size(); ++i) {
    truth[store.id[i]] = test::short_range_sum(store.position, store.mass, store.position[i], law);
  }
  return truth;
}

double heaviest(const ParticleStore& store) {
  return store.size() == 0 ? 0 : static_cast<double>(*std::ranges::max_element(store.mass));
}

ShortRangeErrors errors_of(ParticleStore store, const std::vector<ForceSum<double>>& truth,
                           const GravityOptions& options, const PairLaw& law, ForceBackend& backend) {
  GravitySolver(options, backend).accelerate(store, law);
  std::vector<double> error;
  double square = 0, worst = 0, largest = law.gravitational_constant * std::fabs(own_depth(law)) * heaviest(store);
  for (std::size_t i = 0; i < store.size(); ++i) {
    const ForceSum<double>& sum = truth[store.id[i]];
    const double own = static_cast<double>(store.mass[i]) * own_depth(law);
    const Vec3d exact = law.gravitational_constant * Vec3d{sum.x, sum.y, sum.z};
    const double potential = -law.gravitational_constant * (sum.potential - own);
    error.push_back(norm(Vec3d(store.acceleration[i]) - exact));
    square += norm2(exact) / static_cast<double>(store.size());
    worst = larger_error(worst, std::fabs(static_cast<double>(store.potential[i]) - potential));
    largest = std::max(largest, std::fabs(potential));
  }
  for (double& e : error) e = e > 0 ? e / std::sqrt(square) : 0;
  return {percentiles(std::move(error)), largest > 0 ? worst / largest : worst};
}

class ShortRangeForces : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] ShortRangeErrors errors(const ParticleStore& store, const PairLaw& law, double theta,
                                        std::uint32_t group_size = 32) const {
    return errors_of(store, truth_about(store, law), {Mac::barnes90, theta, 0.002, law.order, group_size, 8}, law,
                     *backend_);
  }

  std::unique_ptr<ForceBackend> backend_ = make_simd_backend(GetParam());
};

/// Without accepted cells only rounding is left.
TEST_P(ShortRangeForces, AllPairsAreRightToRounding) {
  for (const double softening : {0.0, 0.002}) {
    // One cut-off for each length of the polynomials.
    for (const ForceSplit split : {ForceSplit{0.025, 0.125}, ForceSplit{0.05, 0.3}, ForceSplit{0.01, 0.07}}) {
      const PairLaw law{43, softening, quadrupole, 1, split};
      const ShortRangeErrors e = errors(test::clusters_at_faces(1500), law, 0.001);
      EXPECT_LT(e.pull.p99, 6e-6) << softening << ' ' << split.scale;
      EXPECT_LT(e.pull.max, 2e-5) << softening << ' ' << split.scale;
      EXPECT_LT(e.potential, 3e-6) << softening << ' ' << split.scale;
    }
  }
}

/// Groups of any size, whose targets select their sources in one or more turns, get the same forces.
TEST_P(ShortRangeForces, GroupsOfAnySize) {
  const PairLaw law{1, 0.002, quadrupole, 1, {0.025, 0.15}};
  for (const std::uint32_t group_size : {1U, 7U, 9U, 128U, 129U, 300U}) {
    const ShortRangeErrors e = errors(test::clusters_at_faces(1500), law, 0.001, group_size);
    EXPECT_LT(e.pull.max, 2e-5) << group_size;
    EXPECT_LT(e.potential, 3e-6) << group_size;
  }
}

TEST_P(ShortRangeForces, TreesConverge) {
  for (const double softening : {0.002, 0.0}) {
    for (const MultipoleOrder order : {monopole, quadrupole}) {
      const PairLaw law{1, softening, order, 1, {0.025, 0.15}};
      for (const ParticleStore& store : {test::clusters_at_faces(3000), test::uniform_cube(3000)}) {
        const std::vector<ForceSum<double>> truth = truth_about(store, law);
        const auto errors_at = [&](double theta) {
          return errors_of(store, truth, {Mac::barnes90, theta, 0.002, order, 32, 8}, law, *backend_);
        };
        const ShortRangeErrors coarse = errors_at(0.6), fine = errors_at(0.3);
        EXPECT_GT(coarse.pull.p99, 1e-5);
        EXPECT_LT(coarse.pull.p99, order == quadrupole ? 4e-3 : 1.5e-2);
        EXPECT_LT(fine.pull.p99, 0.15 * coarse.pull.p99);
        EXPECT_LT(fine.pull.p99, order == quadrupole ? 2e-4 : 2e-3);
      }
    }
  }
}

TEST_P(ShortRangeForces, EveryCriterion) {
  const PairLaw law{1, 0.001, quadrupole, 1, {0.025, 0.15}};
  const ParticleStore store = test::clusters_at_faces(3000);
  const std::vector<ForceSum<double>> truth = truth_about(store, law);
  for (const Mac mac : {Mac::bh86, Mac::barnes90, Mac::offset, Mac::relative}) {
    for (const std::uint32_t group_size : {1U, 8U, 3000U}) {
      const ShortRangeErrors e = errors_of(store, truth, {mac, 0.4, 0.002, quadrupole, group_size, 8}, law, *backend_);
      EXPECT_LT(e.pull.median, 3e-5) << static_cast<int>(mac) << ' ' << group_size;
      EXPECT_LT(e.pull.p99, 2e-3) << static_cast<int>(mac) << ' ' << group_size;
      EXPECT_LT(e.potential, 6e-4) << static_cast<int>(mac) << ' ' << group_size;
    }
  }
}

TEST_P(ShortRangeForces, FacesEdgesAndCorners) {
  std::vector<Vec3d> places;
  const double last = std::nextafter(1.0, 0.0);
  for (const double x : {0.0, 0.5, last}) {
    for (const double y : {0.0, 0.5, last}) {
      for (const double z : {0.0, 0.5, last}) {
        places.push_back({x, y, z});
        places.push_back(wrapped({x + 0.01, y - 0.02, z + 0.005}, 1));
      }
    }
  }
  for (const double softening : {0.0, 0.002}) {
    const PairLaw law{1, softening, quadrupole, 1, {0.025, 0.125}};
    const ShortRangeErrors e = errors(test::store_at(places), law, 0.001);
    EXPECT_LT(e.pull.max, 2e-6) << softening;
    EXPECT_LT(e.potential, 2e-6) << softening;
  }
}

TEST_P(ShortRangeForces, FewAndCoincidentParticles) {
  for (const double softening : {0.0, 0.002}) {
    const PairLaw law{1, softening, quadrupole, 1, {0.025, 0.125}};
    for (const std::size_t n : {0U, 1U, 2U, 20U}) {
      const ShortRangeErrors e = errors(test::clusters_at_faces(n), law, 0.5);
      EXPECT_LT(e.pull.max, 2e-6) << n;
      EXPECT_LT(e.potential, 5e-6) << n;
    }
    std::vector<Vec3d> places(300, Vec3d{0, 0.3, 0.9999});
    places.insert(places.end(), 300, Vec3d{0.99, 0.3, 0.01});
    places.insert(places.end(), 10, Vec3d{0.5, 0.3, 0.01});
    const ShortRangeErrors e = errors(test::store_at(places), law, 0.5);
    EXPECT_LT(e.pull.max, 3e-6);
    EXPECT_LT(e.potential, 3e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, ShortRangeForces, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const SimdKernels* kernels : available_simd_kernels())
                             names.emplace_back(kernels->name);
                           return names;
                         }()),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace multiwalk
