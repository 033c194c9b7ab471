// SPDX-License-Identifier: GPL-3.0-or-later
// Third-order LPT: it solves the equations of motion to its order, and follows the spherical top-hat.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "ic/lpt/displacement.hpp"
#include "ic/lpt/lpt_sources.hpp"

namespace multiwalk {
namespace {

constexpr std::uint32_t cells = 16;
constexpr double box_side = 2 * std::numbers::pi;
using Tensor = std::array<std::array<double, 3>, 3>;

/// Some waves of |n_i| <= 2, so that products of three are resolved.
PencilMesh low_waves(double amplitude) {
  PencilMesh mesh({}, cells);
  const Vec3<std::int64_t> waves[] = {{1, 0, 1}, {-2, 1, 1}, {0, 2, 1}, {1, -1, 2}, {2, 2, 1}};
  double phase = 0.3;
  for (const auto n : waves) {
    mesh.mode(mesh.index(n.x), mesh.index(n.y), static_cast<std::uint32_t>(n.z)) = std::polar(amplitude, phase);
    phase += 1.9;
  }
  return mesh;
}

/// d displacement_i / d q_j at all sites.
std::vector<Tensor> displacement_gradients(double amplitude, const LptFactors& factors) {
  const Load load = lattice_load(cells, {box_side});
  ParticleStore particles;
  displace(low_waves(amplitude), factors, load, particles);
  std::vector<Tensor> gradient(particles.size());
  for (int i = 0; i < 3; ++i) {
    PencilMesh modes({}, cells);
    modes.to_values();
    for (std::size_t p = 0; p < particles.size(); ++p) {
      const Vec3<std::uint32_t> at = load.indices(p);
      modes.value(at.x, at.y, at.z) = particles.position[p][i] - load.position(p)[i];
    }
    modes.to_modes();
    for (int j = 0; j < 3; ++j) {
      PencilMesh derivative({}, cells);
      derivative.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, std::complex<double>& mode) {
        const double n = static_cast<double>(j == 0 ? x : j == 1 ? y : z);
        mode = std::complex<double>(0, n) * modes.mode(modes.index(x), modes.index(y), modes.index(z));
      });
      derivative.to_values();
      for (std::size_t p = 0; p < particles.size(); ++p) {
        const Vec3<std::uint32_t> at = load.indices(p);
        gradient[p][static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = derivative.value(at.x, at.y, at.z);
      }
    }
  }
  return gradient;
}

/// Factors of x(D) in an Einstein-de Sitter universe, those of order n times weight[n].
LptFactors factors_of(const std::array<double, 4>& weight, bool transverse) {
  LptFactors f;
  f.position1 = weight[1];
  f.position2 = -3.0 / 7 * weight[2];
  f.determinant.position = 1.0 / 3 * weight[3];
  f.mixed.position = -10.0 / 21 * weight[3];
  f.transverse.position = transverse ? -1.0 / 7 * weight[3] : 0;
  return f;
}

struct Residual {
  double divergence = 0, curl = 0;
};

/// How far the equations of motion are from solved: J div_x x'' = 3/2 (J - 1) and curl_x x'' = 0 (each times J), with
/// x'' = n (2n + 1) / 2 at order n.
Residual residual(double amplitude, const std::array<double, 4>& order, bool transverse) {
  std::array<double, 4> acceleration{};
  for (std::size_t n = 1; n < 4; ++n) acceleration[n] = order[n] * static_cast<double>(n * (2 * n + 1)) / 2;
  const std::vector<Tensor> shift = displacement_gradients(amplitude, factors_of(order, transverse));
  const std::vector<Tensor> pull = displacement_gradients(amplitude, factors_of(acceleration, transverse));
  Residual most;
  for (std::size_t p = 0; p < shift.size(); ++p) {
    Tensor x = shift[p];
    for (std::size_t i = 0; i < 3; ++i) x[i][i] += 1;
    double jacobian = 0, divergence = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const std::size_t a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        const double cofactor = x[a][c] * x[b][d] - x[a][d] * x[b][c];
        divergence += cofactor * pull[p][i][j];
        if (i == 0) jacobian += cofactor * x[i][j];
      }
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      double curl = 0;
      for (std::size_t l = 0; l < 3; ++l) curl += x[l][j] * pull[p][l][k] - x[l][k] * pull[p][l][j];
      most.curl = std::fmax(most.curl, std::fabs(curl));
    }
    most.divergence = std::fmax(most.divergence, std::fabs(divergence - 1.5 * (jacobian - 1)));
  }
  return most;
}

TEST(ThirdOrder, SolvesTheEquationsOfMotionToFourthOrder) {
  const double large = 0.02, small = 0.01;
  const auto falls_as = [&](const std::array<double, 4>& order, bool transverse, double divergence, double curl) {
    const Residual a = residual(large, order, transverse), b = residual(small, order, transverse);
    EXPECT_NEAR(std::log2(a.divergence / b.divergence), divergence, 0.2);
    EXPECT_NEAR(std::log2(a.curl / b.curl), curl, 0.2);
  };
  falls_as({0, 1, 1, 1}, true, 4, 4);
  falls_as({0, 1, 1, 1}, false, 4, 3);
  falls_as({0, 1, 1, 0}, false, 3, 3);
}

TEST(ThirdOrder, VanishesForAPlaneWave) {
  PencilMesh delta({}, cells);
  delta.mode(delta.index(-3), 2, 4) = 0.5;
  const PencilMesh second = second_order_source(delta);
  const PencilMesh sources[] = {determinant_source(delta), mixed_source(delta, second),
                                transverse_source(delta, second, 1)};
  for (const PencilMesh& source : sources) {
    for (std::uint32_t x = 0; x < cells; ++x) {
      for (std::uint32_t y = 0; y < cells; ++y) {
        for (std::uint32_t z = 0; z < source.half_cells(); ++z) EXPECT_LT(std::abs(source.mode(x, y, z)), 1e-14);
      }
    }
  }
}

TEST(ThirdOrder, DeterminantOfCrossedWavesHasNoAliases) {
  // delta = cos 7x + cos 7y + cos z: the determinant is cos 7x cos 7y cos z; with x + y for y, the sum 14x + 7y + z
  // must not come back as a long wave.
  PencilMesh delta({}, cells);
  delta.mode(7, 0, 0) = delta.mode(cells - 7, 0, 0) = 0.5;
  delta.mode(5, 6, 0) = delta.mode(cells - 5, cells - 6, 0) = 0.5;
  delta.mode(0, 0, 1) = 0.5;
  const PencilMesh source = determinant_source(delta);
  const double sine2 = 1 - 25.0 / 61;  // of the angle between the waves across z
  EXPECT_NEAR(source.mode(2, source.index(-6), 1).real(), sine2 / 8, 1e-14);
  double sum = 0;
  for (std::uint32_t x = 0; x < cells; ++x) {
    for (std::uint32_t y = 0; y < cells; ++y) {
      for (std::uint32_t z = 0; z < source.half_cells(); ++z) sum += std::abs(source.mode(x, y, z));
    }
  }
  EXPECT_NEAR(sum, 2 * sine2 / 8, 1e-12);
}

}  // namespace
}  // namespace multiwalk
