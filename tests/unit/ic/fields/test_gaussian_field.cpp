// SPDX-License-Identifier: GPL-3.0-or-later
// Random numbers, the mesh's transforms and the Gaussian field.
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "host/base/error.hpp"
#include "ic/fields/gaussian_field.hpp"
#include "ic/fields/random.hpp"

namespace multiwalk {
namespace {

using Complex = std::complex<double>;

const LinearPower& fit() {
  static const LinearPower power = LinearPower::eisenstein_hu(CosmologyParameters{});
  return power;
}

void expect_near(Complex a, Complex b, double tolerance) {
  EXPECT_NEAR(a.real(), b.real(), tolerance);
  EXPECT_NEAR(a.imag(), b.imag(), tolerance);
}

std::vector<double> all_values(const PencilMesh& mesh) {
  std::vector<double> values;
  for (std::uint32_t x = 0; x < mesh.cells(); ++x) {
    for (std::uint32_t y = 0; y < mesh.cells(); ++y) {
      for (std::uint32_t z = 0; z < mesh.cells(); ++z) values.push_back(mesh.value(x, y, z));
    }
  }
  return values;
}

TEST(Philox, FirstWordIsPinned) {
  EXPECT_EQ(philox({1, 2, 3, 0}, 42)[0], 17578637964055208195ULL);
  EXPECT_NE(philox({1, 2, 3, 0}, 42, 1)[0], 17578637964055208195ULL);
  EXPECT_EQ(uniform_open_below(0), 0x1p-53);
  EXPECT_EQ(uniform_open_below(~0ULL), 1);
  EXPECT_EQ(uniform_open_above(0), 0);
  EXPECT_LT(uniform_open_above(~0ULL), 1);
}

TEST(GaussianField, ModesArePinned) {
  // Computed with NumPy's Philox4x64 and the formulas of the head of gaussian_field.cpp.
  expect_near(unit_mode(1, 2, 3, {42, false, false}), {0.1912472291207434, 0.1078330491505774}, 1e-15);
  expect_near(unit_mode(-5, 7, 2, {42, false, false}), {0.13251747003124306, 0.4947087167082834}, 1e-15);
  expect_near(unit_mode(-3, 2, 0, {42, false, false}), {0.2703736915390924, 1.1857726660004408}, 1e-15);
  expect_near(unit_mode(4, 0, 0, {42, false, false}), {-1.537421518117187, -0.5901696900272428}, 1e-15);
  expect_near(unit_mode(-1, -2, -3, {42, false, false}), {0.1912472291207434, -0.1078330491505774}, 1e-15);
  expect_near(unit_mode(1, 2, 3, {42, false, true}), {-0.1912472291207434, -0.1078330491505774}, 1e-15);
  const double box = 100;
  const double k = 2 * std::numbers::pi / box * std::sqrt(14.0);
  const PencilMesh field = gaussian_field(16, box, fit(), {42, false, false});
  const Complex expected = Complex(0.1912472291207434, 0.1078330491505774) * std::sqrt(fit()(k) / (box * box * box));
  expect_near(field.mode(1, 2, 3), expected, 1e-12);
}

TEST(GaussianField, FixedAmplitudeKeepsThePhase) {
  const Complex random = unit_mode(3, -1, 2, {7, false, false});
  const Complex fixed = unit_mode(3, -1, 2, {7, true, false});
  EXPECT_NEAR(std::abs(fixed), 1, 1e-14);
  EXPECT_NEAR(std::arg(fixed), std::arg(random), 1e-14);
  EXPECT_GT(std::fabs(std::abs(random) - 1), 1e-3);
}

TEST(GaussianField, FinerGridHasTheSameModes) {
  const PencilMesh coarse = gaussian_field(15, 80, fit(), {3, false, false});
  const PencilMesh fine = gaussian_field(32, 80, fit(), {3, false, false});
  for (int x = -7; x <= 7; ++x) {
    for (int y = -7; y <= 7; ++y) {
      for (std::uint32_t z = 0; z <= 7; ++z) {
        EXPECT_EQ(coarse.mode(coarse.index(x), coarse.index(y), z), fine.mode(fine.index(x), fine.index(y), z));
      }
    }
  }
}

TEST(GaussianField, ZeroModeAndNyquistPlanesVanish) {
  const PencilMesh field = gaussian_field(8, 80, fit(), {3, false, false});
  EXPECT_EQ(field.mode(0, 0, 0), 0.0);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(field.mode(4, i, 1), 0.0);
    EXPECT_EQ(field.mode(i, 4, 2), 0.0);
    EXPECT_EQ(field.mode(i, 3, 4), 0.0);
    EXPECT_NE(field.mode(i == 4 ? 3 : i, 3, 1), 0.0);
  }
}

TEST(PencilMesh, ValuesAreTheSumOfAllWaves) {
  for (const std::uint32_t cells : {6U, 7U}) {
    const FieldOptions options{11, true, false};
    PencilMesh field = gaussian_field(cells, 50, fit(), options);
    const PencilMesh modes = gaussian_field(cells, 50, fit(), options);
    field.to_values();
    const int top = (static_cast<int>(cells) - 1) / 2;
    const std::uint32_t at[3] = {1, 4, 5};
    Complex sum = 0;
    for (int x = -top; x <= top; ++x) {
      for (int y = -top; y <= top; ++y) {
        for (int z = -top; z <= top; ++z) {
          const double phase = 2 * std::numbers::pi / cells * (x * 1.0 * at[0] + y * 1.0 * at[1] + z * 1.0 * at[2]);
          const double n2 = x * x + y * y + z * z;
          if (n2 == 0) continue;
          const double k = 2 * std::numbers::pi / 50 * std::sqrt(n2);
          sum += unit_mode(x, y, z, options) * std::sqrt(fit()(k) / 125000) * std::polar(1.0, phase);
        }
      }
    }
    EXPECT_NEAR(field.value(at[0], at[1], at[2]), sum.real(), 1e-12);
    EXPECT_NEAR(sum.imag(), 0, 1e-12);
    field.to_modes();
    for (std::uint32_t z = 0; z < modes.half_cells(); ++z) expect_near(field.mode(2, 5, z), modes.mode(2, 5, z), 1e-14);
  }
}

TEST(GaussianField, ThreadsDoNotChangeABit) {
  const int threads = omp_get_max_threads();
  const auto values = [](int count) {
    omp_set_num_threads(count);
    PencilMesh field = gaussian_field(30, 90, fit(), {5, false, false});
    field.to_values();
    return all_values(field);
  };
  const std::vector<double> one = values(1);
  EXPECT_EQ(one, values(2));
  EXPECT_EQ(one, values(5));
  omp_set_num_threads(threads);
}

TEST(GaussianField, MeasuredPowerIsLinearPower) {
  // chi^2 statistics: mean and variance of |delta|^2 V / P are 1 over all modes, and in shells within their scatter.
  const double box = 200;
  const PencilMesh field = gaussian_field(64, box, fit(), {1, false, false});
  std::vector<double> sum(5, 0.0);
  std::vector<double> count(5, 0.0);
  double square = 0;
  double real_part = 0;
  double total = 0;
  for (std::uint32_t x = 0; x < 64; ++x) {
    for (std::uint32_t y = 0; y < 64; ++y) {
      for (std::uint32_t z = 1; z < 32; ++z) {
        const Complex mode = field.mode(x, y, z);
        if (mode == 0.0) continue;
        const double n2 = std::pow(field.wavenumber(x), 2) + std::pow(field.wavenumber(y), 2) + z * z;
        const double k = 2 * std::numbers::pi / box * std::sqrt(n2);
        const double ratio = std::norm(mode) * box * box * box / fit()(k);
        const auto shell = static_cast<std::size_t>(std::min(4.0, std::sqrt(n2) / 8));
        sum[shell] += ratio;
        count[shell] += 1;
        square += ratio * ratio;
        real_part += mode.real() * mode.real() / std::norm(mode);
        total += 1;
      }
    }
  }
  for (std::size_t s = 0; s < 5; ++s) EXPECT_NEAR(sum[s] / count[s], 1, 4 / std::sqrt(count[s])) << s;
  EXPECT_NEAR(square / total, 2, 0.05);       // exponential distribution: Gaussian modes
  EXPECT_NEAR(real_part / total, 0.5, 4e-3);  // uniform phases
}

TEST(GaussianField, RefusesWavesBeyondTheSpectrum) {
  const LinearPower table = LinearPower::from_file(
      MULTIWALK_SOURCE_DIR "/tests/unit/ic/data/class_planck18_linear_z0.dat", CosmologyParameters{});
  EXPECT_THROW(gaussian_field(4, 1e6, table, {}), InputError);
}

}  // namespace
}  // namespace multiwalk
