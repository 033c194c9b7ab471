// SPDX-License-Identifier: GPL-3.0-or-later
// N-GenIC's and GADGET-4's modes: the table against the place of each seed in the sequence, modes against pmesh and
// against draws one by one.
#include <gsl/gsl_rng.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "host/base/error.hpp"
#include "ic/fields/seeded_modes.hpp"

namespace multiwalk {
namespace {

using Complex = std::complex<double>;

/// The first `count` uniform numbers of ranlxd1.
std::vector<double> ranlux(unsigned long seed, std::size_t count) {
  gsl_rng* const state = gsl_rng_alloc(gsl_rng_ranlxd1);
  gsl_rng_set(state, seed);
  std::vector<double> u(count);
  for (double& value : u) value = gsl_rng_uniform(state);
  gsl_rng_free(state);
  return u;
}

/// Which number of the sequence is the seed of column (a, b): ring r begins after 4 r^2, and has four quadrants of
/// 2 r + 1, each first along b, then along a.
std::size_t sequence_place(int a, int b) {
  const int p = a < 0 ? -1 - a : a, q = b < 0 ? -1 - b : b;
  const int ring = std::max(p, q), quadrant = (a < 0 ? 1 : 0) + (b < 0 ? 2 : 0);
  return static_cast<std::size_t>(4 * ring * ring + quadrant * (2 * ring + 1) + (q < ring ? q : ring + p));
}

unsigned long column_seed(unsigned long seed, int a, int b) {
  const std::size_t place = sequence_place(a, b);
  return static_cast<unsigned long>(std::floor(0x7fffffff * ranlux(seed, place + 1)[place]));
}

/// GADGET-4's mode by drawing all before it; n_z = 0 only for the half that is drawn.
Complex gadget4_mode(unsigned long seed, int x, int y, int z, bool fixed) {
  const auto before = static_cast<std::size_t>(x < 0 ? -2 * x - 1 : 2 * x);
  const std::size_t per_mode = fixed ? 1 : 2;
  const std::vector<double> u = ranlux(column_seed(seed, y, z), per_mode * (before + 1));
  const double modulus = fixed ? 1 : std::sqrt(-std::log(u.back()));
  return std::polar(modulus, 2 * std::numbers::pi * u[per_mode * before]);
}

PencilMesh modes(std::uint32_t cells, ModeSource source, bool fixed = false, bool paired = false) {
  PencilMesh field({}, cells);
  set_seeded_modes(field, {181170, fixed, paired, source});
  return field;
}

Complex at(const PencilMesh& field, int x, int y, int z) {
  return field.mode(field.index(x), field.index(y), static_cast<std::uint32_t>(z));
}

TEST(SeedTable, IsDealtInRings) {
  const SeedTable seeds(7, 9);
  for (int a = -9; a <= 9; ++a) {
    for (int b = -9; b <= 9; ++b) EXPECT_EQ(seeds(a, b), column_seed(7, a, b)) << a << " " << b;
  }
}

TEST(SeededModes, NgenicsAreThoseOfPmesh) {
  // Computed with the white noise of pmesh 0.1.9 for 16^3 and 32^3 cells; pmesh agrees with N-GenIC.
  const struct {
    int x, y, z;
    Complex mode;
  } expected[] = {
      {1, 2, 3, {1.330603761470952, 0.7421695324575672}},     {0, 0, 1, {0.2886012353606143, -0.367071540964555}},
      {-3, 2, 5, {-0.1565832678799108, 1.377096960862108}},   {4, -7, 1, {-0.05417329074046949, 0.06011358965822026}},
      {-2, -5, 6, {0.6069157216855381, -0.5517593868079095}}, {3, -1, 0, {0.1179982489907167, -0.3797431763269311}},
      {-3, 1, 0, {0.1179982489907167, 0.3797431763269311}},   {0, 4, 0, {-0.1237156433118093, 1.644771839983295}},
      {0, -4, 0, {-0.1237156433118093, -1.644771839983295}},  {-6, 0, 0, {0.3769578948680019, 1.34697360926857}},
      {7, 7, 7, {0.2974039006653262, 0.5622587633578179}}};
  for (const std::uint32_t cells : {15U, 16U, 32U}) {
    const PencilMesh field = modes(cells, ModeSource::ngenic);
    for (const auto& [x, y, z, mode] : expected) {
      EXPECT_LT(std::abs(at(field, x, y, z) - mode), 1e-14) << x << " " << y << " " << z;
    }
  }
}

TEST(SeededModes, Gadget4sAreTheDrawsOfTheirColumns) {
  for (const bool fixed : {false, true}) {
    const PencilMesh field = modes(12, ModeSource::gadget4, fixed);
    for (int x = -5; x <= 5; ++x) {
      for (int y = -5; y <= 5; ++y) {
        for (int z = 0; z <= 5; z += 1 + (x & 1)) {
          if (x == 0 && y == 0 && z == 0) continue;
          const bool drawn = z > 0 || x > 0 || (x == 0 && y > 0);
          const Complex mode =
              drawn ? gadget4_mode(181170, x, y, z, fixed) : std::conj(gadget4_mode(181170, -x, -y, 0, fixed));
          EXPECT_LT(std::abs(at(field, x, y, z) - mode), 1e-14) << x << " " << y << " " << z;
        }
      }
    }
  }
}

TEST(SeededModes, DoNotDependOnTheMesh) {
  for (const ModeSource source : {ModeSource::ngenic, ModeSource::gadget4}) {
    const PencilMesh coarse = modes(11, source), fine = modes(24, source);
    for (int x = -5; x <= 5; ++x) {
      for (int y = -5; y <= 5; ++y) {
        for (int z = 0; z <= 5; ++z) EXPECT_EQ(at(coarse, x, y, z), at(fine, x, y, z));
      }
    }
  }
}

TEST(SeededModes, AreFixedAndPaired) {
  const PencilMesh random = modes(8, ModeSource::ngenic), fixed = modes(8, ModeSource::ngenic, true);
  const PencilMesh paired = modes(8, ModeSource::gadget4, false, true), own = modes(8, ModeSource::gadget4);
  for (int z = 0; z <= 3; ++z) {
    EXPECT_LT(std::abs(at(fixed, -2, 3, z) - std::polar(1.0, std::arg(at(random, -2, 3, z)))), 1e-14);
    EXPECT_EQ(at(paired, 1, -1, z), -at(own, 1, -1, z));
  }
}

TEST(SeededModes, RefuseSeedsThatGslWouldCut) {
  PencilMesh field({}, 8);
  EXPECT_THROW(set_seeded_modes(field, {std::uint64_t{1} << 31, false, false, ModeSource::ngenic}), InputError);
}

}  // namespace
}  // namespace multiwalk
