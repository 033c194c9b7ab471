// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "host/direct/pair_sum.hpp"
#include "run/examples/pairs/lennard_jones.hpp"
#include "run/examples/pairs/sph_density.hpp"

namespace multiwalk {
namespace {

std::vector<Vec3d> points(std::size_t n, double side, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, side);
  std::vector<Vec3d> result;
  for (std::size_t i = 0; i < n; ++i) result.push_back({uniform(engine), uniform(engine), uniform(engine)});
  return result;
}

/// A jittered lattice: no pair of atoms is so close that its force drowns the others.
std::vector<Vec3d> atoms(int side) {
  std::vector<Vec3d> result = points(static_cast<std::size_t>(side * side * side), 0.1, 7);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto n = static_cast<int>(i);
    result[i] += Vec3d{1.1 * (n % side), 1.1 * (n / side % side), 1.1 * (n / side / side)};
  }
  return result;
}

template <class T>
class PairInteractions : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(PairInteractions, Numbers);

template <class T>
constexpr double rounding = sizeof(T) == 4 ? 5e-6 : 1e-14;

TYPED_TEST(PairInteractions, LennardJonesIsTheBruteForceSum) {
  using T = TypeParam;
  const std::vector<Vec3d> place = atoms(5);  // 125: no whole number of vectors
  const LennardJonesPair pair{0.7, 1.1, 2.3};
  std::vector<LennardJonesPair::Target<T>> record;
  for (const Vec3d& x : place) record.push_back({Vec3<T>(x)});
  std::vector<LennardJonesPair::Sum<double>> sum(place.size());
  pair_sum<T, LennardJonesPair>(pair, record, record, Accumulation::mixed, sum);
  double largest = 0;
  for (const auto& s : sum) largest = std::max(largest, norm(s.force));
  for (std::size_t i = 0; i < place.size(); ++i) {
    Vec3d force;
    double energy = 0;
    for (std::size_t j = 0; j < place.size(); ++j) {
      const Vec3d d = Vec3d(record[i].position) - Vec3d(record[j].position);
      const double r = norm(d);
      if (i == j || r > 2.3) continue;
      const double s6 = std::pow(1.1 / r, 6);
      energy += 4 * 0.7 * (s6 * s6 - s6);
      force += d * (24 * 0.7 * (2 * s6 * s6 - s6) / (r * r));
    }
    EXPECT_LT(norm(sum[i].force - force), rounding<T> * largest) << i;
    EXPECT_NEAR(sum[i].energy, energy, rounding<T> * 30) << i;
  }
}

TYPED_TEST(PairInteractions, SphDensityIsTheBruteForceSum) {
  using T = TypeParam;
  const std::vector<Vec3d> place = points(311, 1, 3);
  std::vector<SphDensityPair::Target<T>> target;
  std::vector<SphDensityPair::Source<T>> source;
  for (std::size_t i = 0; i < place.size(); ++i) {
    source.push_back({Vec3<T>(place[i]), static_cast<T>(0.5 + 0.001 * static_cast<double>(i))});
    if (i % 3 == 0) target.push_back({Vec3<T>(place[i]), static_cast<T>(4 + 0.01 * static_cast<double>(i))});
  }
  for (const Accumulation accumulation :
       {Accumulation::plain, Accumulation::chamomile, Accumulation::compensated, Accumulation::mixed}) {
    std::vector<SphDensityPair::Sum<double>> sum(target.size());
    pair_sum<T, SphDensityPair>({}, target, source, accumulation, sum);
    for (std::size_t i = 0; i < target.size(); ++i) {
      double density = 0;
      const double h = 1 / static_cast<double>(target[i].inverse_smoothing);
      for (const auto& s : source) {
        const double q = norm(Vec3d(s.position) - Vec3d(target[i].position)) / h;
        const double w = q < 1 ? 1 - 1.5 * q * q + 0.75 * q * q * q : q < 2 ? 0.25 * std::pow(2 - q, 3) : 0;
        density += static_cast<double>(s.mass) * w / (std::numbers::pi * h * h * h);
      }
      EXPECT_NEAR(sum[i].density / density, 1, rounding<T>) << i;
    }
  }
}

/// sum exp(-a r^2)
struct GaussianPair {
  template <class T>
  struct Target {
    T x;
  };
  template <class T>
  using Source = Target<T>;
  template <class T>
  struct Sum {
    T value{};
  };
  double a;

  template <class T>
  MULTIWALK_HOST_DEVICE void operator()(const Target<T>& target, const Source<T>& source, Sum<T>& sum) const {
    using multiwalk::exp_of;
    const T d = source.x - target.x;
    sum.value += exp_of(T(-a) * (d * d));
  }
};

TYPED_TEST(PairInteractions, OnesOwnWithAnExponential) {
  using T = TypeParam;
  std::vector<GaussianPair::Target<T>> place;
  for (int i = 0; i < 101; ++i) place.push_back({static_cast<T>(0.03 * i)});
  std::vector<GaussianPair::Sum<double>> sum(place.size());
  pair_sum<T, GaussianPair>({2}, place, place, Accumulation::compensated, sum);
  for (std::size_t i = 0; i < place.size(); ++i) {
    double value = 0;
    for (const auto& p : place) value += std::exp(-2 * std::pow(static_cast<double>(p.x - place[i].x), 2));
    EXPECT_NEAR(sum[i].value / value, 1, rounding<T>) << i;
  }
}

TEST(PairSum, TakesNoTargetsAndNoSources) {
  std::vector<SphDensityPair::Target<float>> target(3);
  std::vector<SphDensityPair::Sum<double>> sum(3, {1.0});
  pair_sum<float, SphDensityPair>({}, target, {}, Accumulation::mixed, sum);
  for (const auto& s : sum) EXPECT_EQ(s.density, 0);
  pair_sum<float, SphDensityPair>({}, {}, {}, Accumulation::mixed, {});
}

TEST(PairSum, SaysWhatItCannotDo) {
  std::vector<SphDensityPair::Target<float>> target(3);
  std::vector<SphDensityPair::Sum<double>> sum(2);
  EXPECT_THROW((pair_sum<float, SphDensityPair>({}, target, {}, Accumulation::mixed, sum)), Error);
  sum.resize(3);
  EXPECT_THROW((pair_sum<float, SphDensityPair>({}, target, {}, Accumulation::full, sum)), Error);
}

}  // namespace
}  // namespace multiwalk
