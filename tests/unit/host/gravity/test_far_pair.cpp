// SPDX-License-Identifier: GPL-3.0-or-later
// Far pairs put together from their rows and columns, against the pair formula in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/gravity/far_pair.hpp"

namespace multiwalk {
namespace {

constexpr double tf32_error = 0x1p-11;

struct Cell {
  Vec3f x;
  float mass = 0;
  SecondMoment<float> second{};
};

FarBlock block_of(const Cell& cell, float softening2) {
  FarBlock block{};
  for (unsigned j = 0; j < 8; ++j) {
    store_far_place(block, j, {}, 0, 1);
    store_far_shape(block, j, {}, {}, 1);
  }
  store_far_place(block, 5, cell.x, cell.mass, softening2);
  store_far_shape(block, 5, cell.x, cell.second, softening2);
  return block;
}

/// R^2 and u of one target and cell j, as the tensor cores make them but without their rounding.
struct Products {
  double distance2, u;
};

Products products(Vec3f x, const FarBlock& block, unsigned j) {
  Products p{double{block.square[j / 2][j % 2]}, double{block.constant[j / 2][j % 2]}};
  for (unsigned k = 0; k < 4; ++k) {
    const FarTarget row = far_target(x, k);
    for (unsigned n = 0; n < 2; ++n) {
      p.distance2 += double{row.place[n]} * double{block.place[j].entry[k][n]};
      p.u += double{row.shape[n]} * double{block.shape[j].entry[k][n]};
    }
    p.distance2 += double{row.rest} * double{block.place[j].entry[k][0]};
  }
  return p;
}

/// What all cells of a block do to one target; weights are not rounded.
ForceSum<double> pull_of(Vec3f x, const FarBlock& block) {
  float potential = 0, reach[8]{}, pull[8]{};
  for (unsigned j = 0; j < 8; ++j) {
    const Products p = products(x, block, j);
    const FarWeights w =
        far_weights(static_cast<float>(p.distance2), block.mass[j], static_cast<float>(p.u), potential);
    for (unsigned n = 0; n < 8; ++n) {
      reach[n] += w.a * block.reach[n][j];
      pull[n] += w.b * block.pull[n][j];
    }
  }
  const SecondMoment<float> q{pull[1], pull[5], pull[6], pull[3], pull[7], 0};
  const auto component = [&](unsigned k) {
    return double{far_pull(k, x, reach[2 * k] + reach[2 * k + 1], reach[6], pull[2 * k], q)};
  };
  return {component(0), component(1), component(2), double{potential}};
}

class FarPair : public testing::Test {
 protected:
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  Vec3f target() { return static_cast<Vec3f>(Vec3d{uniform(), uniform(), uniform()}); }
  /// At 1.5 to 10 times the targets' largest distance from the centre; moments of an extent of a third of that.
  Cell cell() {
    Vec3d d{uniform(), uniform(), uniform()};
    const double r = std::sqrt(3.0) * std::pow(10.0, 0.18 + 0.82 * std::fabs(uniform()));
    d *= r / norm(d);
    const auto moment = [&] { return static_cast<float>(uniform() * r * r / 10); };
    return {static_cast<Vec3f>(d),
            static_cast<float>(1 + std::fabs(uniform())),
            {std::fabs(moment()), moment(), moment(), std::fabs(moment()), moment(), std::fabs(moment())}};
  }
  std::mt19937_64 random_{3};
};

TEST_F(FarPair, Tf32NumbersHaveElevenBits) {
  for (int i = 0; i < 10000; ++i) {
    const auto x = static_cast<float>(uniform() * std::exp(20 * uniform()));
    EXPECT_EQ(bits_of(tf32(x)) & tf32_rest, 0U);
    EXPECT_LE(std::fabs(tf32(x) - x), tf32_error * std::fabs(x));
    EXPECT_EQ(tf32(-x), -tf32(x));
    EXPECT_EQ(tf32(tf32(x)), tf32(x));
  }
}

/// (|X| + |x|) / R is 5 at most here, which multiplies roundings of 2^-24 and products of two remainders, 2^-22, by 25.
TEST_F(FarPair, DistancesKeepSinglePrecision) {
  for (int i = 0; i < 10000; ++i) {
    const Cell c = cell();
    const Vec3f x = target();
    const double exact = norm2(static_cast<Vec3d>(c.x) - static_cast<Vec3d>(x)) + 0.01;
    EXPECT_NEAR(products(x, block_of(c, 0.01F), 5).distance2, exact, 25 * 0x1p-22 * exact);
  }
}

TEST_F(FarPair, AgreesWithTheQuadrupoleFormula) {
  for (const float softening2 : {0.0F, 0.01F, 4.0F}) {
    for (int i = 0; i < 5000; ++i) {
      const Cell c = cell();
      const Vec3f x = target();
      ForceSum<double> exact, point;
      const Vec3d d = static_cast<Vec3d>(c.x) - static_cast<Vec3d>(x);
      const SecondMoment<double> s{c.second.xx, c.second.xy, c.second.xz, c.second.yy, c.second.yz, c.second.zz};
      accumulate_quadrupole<true>(d, double{c.mass}, s, double{softening2} + 1e-30, exact);
      accumulate_monopole<true>(d, double{c.mass}, double{softening2} + 1e-30, point);
      const ForceSum<double> found = pull_of(x, block_of(c, softening2));
      const double pull = norm(Vec3d{point.x, point.y, point.z});
      // 25 times TF32's error of moments that are a third of the monopole at the most.
      const double tolerance = 25 * tf32_error / 3;
      EXPECT_LT(norm(Vec3d{found.x - exact.x, found.y - exact.y, found.z - exact.z}), tolerance * pull);
      EXPECT_NEAR(found.potential, exact.potential, tolerance * point.potential);
    }
  }
}

TEST_F(FarPair, PointMassesAgreeToSixDigits) {
  for (int i = 0; i < 5000; ++i) {
    Cell c = cell();
    c.second = {};
    const Vec3f x = target();
    ForceSum<double> exact;
    accumulate_monopole<true>(static_cast<Vec3d>(c.x) - static_cast<Vec3d>(x), double{c.mass}, 0.01, exact);
    const FarBlock block = block_of(c, 0.01F);
    const ForceSum<double> found = pull_of(x, block);
    EXPECT_LT(norm(Vec3d{found.x - exact.x, found.y - exact.y, found.z - exact.z}),
              1.5e-5 * norm(Vec3d{exact.x, exact.y, exact.z}));
    EXPECT_NEAR(found.potential, exact.potential, 5e-6 * exact.potential);
    float potential = 0;
    const auto r2 = static_cast<float>(products(x, block, 5).distance2);
    EXPECT_NEAR(far_weight(r2, c.mass, potential), far_weights(r2, c.mass, 0, potential).a, 1e-6);
  }
}

TEST_F(FarPair, MasslessCellsAddNothing) {
  for (const Vec3f x : {Vec3f{0, 0, 0}, Vec3f{0.5F, -1, 3}}) {
    const ForceSum<double> found = pull_of(x, block_of({}, 1));
    EXPECT_EQ(found.x, 0);
    EXPECT_EQ(found.y, 0);
    EXPECT_EQ(found.z, 0);
    EXPECT_EQ(found.potential, 0);
  }
}

}  // namespace
}  // namespace multiwalk
