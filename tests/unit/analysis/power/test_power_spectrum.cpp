// SPDX-License-Identifier: GPL-3.0-or-later
// P(k) of a plane wave, of Poisson noise, of a Zel'dovich lattice, moved and folded.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>
#include <vector>

#include "analysis/power/power_spectrum.hpp"
#include "host/base/error.hpp"
#include "host/cosmology/growth.hpp"
#include "ic/fields/gaussian_field.hpp"
#include "ic/models/model.hpp"
#include "tests/support/models.hpp"

namespace multiwalk {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr Assignment assignments[] = {Assignment::cic, Assignment::tsc, Assignment::pcs};

/// A lattice of `cells`^3 displaced along n by amplitude / k sin(k q): |delta_k| = J_1(amplitude).
std::vector<Vec3d> plane_wave(int cells, double box, Vec3d n, double amplitude) {
  std::vector<Vec3d> position;
  const Vec3d k = n * (two_pi / box);
  for (int i = 0; i < cells * cells * cells; ++i) {
    const Vec3d q = Vec3d{double(i / cells / cells), double(i / cells % cells), double(i % cells)} * (box / cells);
    position.push_back(q + k * (amplitude / norm2(k) * std::sin(dot(k, q))));
  }
  return position;
}

PowerSpectrum measure(const std::vector<Vec3d>& position, double box, const PowerOptions& options) {
  const std::vector<float> mass(position.size(), 3);
  return measure_power({position, mass, box}, options);
}

const PowerBin& bin_of(const PowerSpectrum& spectrum, int fold, double n) {
  const auto shell = static_cast<std::uint32_t>(n + 0.5);
  for (const PowerBin& bin : spectrum.bins) {
    if (bin.fold == fold && bin.shell == shell) return bin;
  }
  throw Error("no such bin");
}

// 45 and the mesh have no common factor: no image of the lattice itself falls onto the wave.
TEST(PowerSpectrum, PlaneWaveHasItsAmplitude) {
  const double box = 50, amplitude = 0.01;
  for (const Vec3d n : {Vec3d{5, 3, -2}, Vec3d{-1, 2, 0}, Vec3d{0, 0, 8}, Vec3d{11, -7, 10}}) {
    const std::vector<Vec3d> position = plane_wave(45, box, n, amplitude);
    for (const Assignment assignment : assignments) {
      for (const bool interlacing : {false, true}) {
        const PowerSpectrum spectrum = measure(position, box, {64, assignment, interlacing});
        const PowerBin& bin = bin_of(spectrum, 0, norm(n));
        const double measured = bin.power * static_cast<double>(bin.modes) / (2 * box * box * box);
        const double expected = std::pow(std::cyl_bessel_j(1, amplitude), 2);
        // Without interlacing the window holds the images of a white spectrum, which one wave lacks.
        const int order = static_cast<int>(assignment);
        const double tolerance = order == 2 ? (norm(n) < 7 ? 1e-4 : 0.1) : order == 3 ? 1e-3 : 3e-5;
        double images = 0;
        for (int axis = 0; axis < 3 && !interlacing; ++axis) {
          images += std::pow(n[axis] / (64 - std::fabs(n[axis])), 2 * order);
        }
        EXPECT_NEAR(measured / expected, 1, 1.5 * images + tolerance)
            << norm(n) << " order " << order << (interlacing ? " interlaced" : "");
      }
    }
  }
}

TEST(PowerSpectrum, ModesAreThoseOfWholeShells) {
  for (const std::uint32_t mesh : {8U, 9U, 16U}) {
    const PowerSpectrum spectrum = measure({{1, 2, 3}}, 10, {mesh});
    ASSERT_EQ(spectrum.bins.size(), (mesh - 1) / 2);
    std::map<int, std::pair<std::uint64_t, double>> expected;
    for (int x = -20; x <= 20; ++x) {
      for (int y = -20; y <= 20; ++y) {
        for (int z = -20; z <= 20; ++z) {
          const double n = std::sqrt(x * x + y * y + z * z);
          auto& [modes, sum] = expected[static_cast<int>(n + 0.5)];
          ++modes;
          sum += n;
        }
      }
    }
    for (const PowerBin& bin : spectrum.bins) {
      const auto& [modes, sum] = expected.at(static_cast<int>(bin.shell));
      EXPECT_EQ(bin.modes, modes);
      EXPECT_NEAR(bin.k, two_pi / 10 * sum / static_cast<double>(modes), 1e-12);
      EXPECT_NEAR(bin.sigma, bin.power * std::sqrt(2 / static_cast<double>(modes)), 1e-12 * bin.power);
    }
    EXPECT_NEAR(spectrum.nyquist, std::numbers::pi * mesh / 10, 1e-12);
  }
}

// |delta_k| = 1 of one particle, at every k.
TEST(PowerSpectrum, OneParticleIsWhite) {
  const std::vector<Vec3d> position{{1.234, 5.678, 9.012}};
  for (const Assignment assignment : assignments) {
    const PowerSpectrum spectrum = measure(position, 10, {32, assignment, true, 3});
    // What is left of the images, (1,1,0) the nearest: to half and to the whole Nyquist wavenumber.
    const int order = static_cast<int>(assignment);
    const double half = order == 2 ? 0.05 : order == 3 ? 1.5e-3 : 5e-4;
    const double whole = order == 2 ? 0.15 : order == 3 ? 2e-2 : 8e-3;
    EXPECT_NEAR(spectrum.shot_noise, 1000, 1e-9);
    for (const PowerBin& bin : spectrum.bins) {
      EXPECT_NEAR(bin.power / 1000, 1, bin.shell <= 8 ? half : whole) << bin.shell;
    }
  }
}

TEST(PowerSpectrum, PoissonNoiseIsWhiteInEveryFold) {
  const double box = 20;
  ParticleStore store = test::uniform_cube(20000, 3);
  for (Vec3d& x : store.position) x *= box;
  double mass = 0, squares = 0;
  for (const float m : store.mass) {
    mass += m;
    squares += static_cast<double>(m) * m;
  }
  for (const Assignment assignment : assignments) {
    for (const bool interlacing : {false, true}) {
      const PowerSpectrum spectrum =
          measure_power({store.position, store.mass, box}, {64, assignment, interlacing, 2, true});
      EXPECT_NEAR(spectrum.shot_noise, box * box * box * squares / (mass * mass), 1e-9 * spectrum.shot_noise);
      double sum[3] = {}, modes[3] = {};
      for (const PowerBin& bin : spectrum.bins) {
        EXPECT_LT(std::fabs(bin.power), 4.5 * bin.sigma) << bin.fold << " " << bin.shell;
        sum[bin.fold] += bin.power / spectrum.shot_noise * static_cast<double>(bin.modes);
        modes[bin.fold] += static_cast<double>(bin.modes);
      }
      for (int fold = 0; fold < 3; ++fold) {
        EXPECT_LT(std::fabs(sum[fold] / modes[fold]), 3.5 * std::sqrt(2 / modes[fold])) << fold;
      }
    }
  }
}

/// The power of random points, again and again, scatters about the shot noise by what sigma says, whether or not the
/// noise is subtracted.
TEST(PowerSpectrum, SigmaIsTheScatterOfGaussianModes) {
  constexpr int times = 100;
  constexpr double box = 10, noise = box * box * box / 500;
  std::mt19937_64 engine(17);
  std::uniform_real_distribution<double> uniform(0, box);
  for (const bool subtract : {false, true}) {
    double square = 0, bins = 0, mean = 0, modes = 0;
    for (int time = 0; time < times; ++time) {
      std::vector<Vec3d> position(500);
      for (Vec3d& x : position) x = {uniform(engine), uniform(engine), uniform(engine)};
      for (const PowerBin& bin : measure(position, box, {16, Assignment::pcs, true, 1, subtract}).bins) {
        const double expected = noise * std::sqrt(2 / static_cast<double>(bin.modes));
        const double whole = bin.power + (subtract ? noise : 0);
        EXPECT_NEAR(bin.sigma / (whole * std::sqrt(2 / static_cast<double>(bin.modes))), 1, 1e-12);
        square += std::pow((whole - noise) / expected, 2);
        mean += (whole / noise - 1) * static_cast<double>(bin.modes);
        bins += 1;
        modes += static_cast<double>(bin.modes);
      }
    }
    EXPECT_NEAR(square / bins, 1, 4 * std::sqrt(2 / bins));
    EXPECT_NEAR(mean / modes, 0, 4 * std::sqrt(2 / modes));
  }
}

/// A realisation by Zel'dovich's approximation, so early that it is linear.
ParticleSystem zeldovich(double z, std::uint32_t grid, double box, std::uint64_t seed) {
  ModelOptions model;
  model.kind = ModelKind::box;
  model.box_size = box;
  model.seed = seed;
  IcOptions ic;
  ic.grid = grid;
  ic.z_start = z;
  ic.lpt_order = 1;
  return make_model(model, ic, CosmologyParameters{});
}

TEST(PowerSpectrum, ZeldovichLatticeHasThePowerItWasMadeFrom) {
  const double box = 100, z = 400;
  const std::uint32_t grid = 32;
  const ParticleSystem system = zeldovich(z, grid, box, 5);
  const CosmologyParameters cosmology;
  const Growth growth{Expansion(cosmology)};
  const double linear = std::pow(growth.factor(1 / (1 + z)) / growth.factor(1), 2);
  PencilMesh field = gaussian_field(grid, box, LinearPower::eisenstein_hu(cosmology), {5, false, false});
  std::vector<double> input(grid, 0);
  std::vector<std::uint64_t> modes(grid, 0);
  for (int x = -15; x <= 15; ++x) {
    for (int y = -15; y <= 15; ++y) {
      for (int n_z = 0; n_z <= 15; ++n_z) {
        const auto shell = static_cast<std::size_t>(std::sqrt(x * x + y * y + n_z * n_z) + 0.5);
        const unsigned weight = n_z == 0 ? 1 : 2;
        input[shell] += weight * std::norm(field.mode(field.index(x), field.index(y), static_cast<unsigned>(n_z)));
        modes[shell] += weight;
      }
    }
  }
  // Of a lattice half as fine as the mesh TSC keeps images with amplitude 2 (n/128)^2 times the wave's; PCS next to
  // none.
  for (const auto& [assignment, tolerance] : {std::pair{Assignment::tsc, 0.015}, std::pair{Assignment::pcs, 2e-3}}) {
    const PowerSpectrum spectrum =
        measure_power({system.particles.position, system.particles.mass, box}, {64, assignment});
    for (std::uint32_t shell = 1; shell <= grid / 4; ++shell) {
      const PowerBin& bin = bin_of(spectrum, 0, shell);
      ASSERT_EQ(bin.modes, modes[shell]);
      const double expected = linear * box * box * box * input[shell] / static_cast<double>(modes[shell]);
      EXPECT_NEAR(bin.power / expected, 1, tolerance) << shell;
    }
  }
}

/// Halves of the particles in clumps, so that there is power on all scales.
std::vector<Vec3d> clumps(std::size_t n, double box) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(0, box);
  std::normal_distribution<double> normal(0, 0.02 * box);
  std::vector<Vec3d> position;
  Vec3d centre;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 100 == 0) centre = {uniform(engine), uniform(engine), uniform(engine)};
    const Vec3d offset{normal(engine), normal(engine), normal(engine)};
    position.push_back(i % 2 == 0 ? centre + offset : Vec3d{uniform(engine), uniform(engine), uniform(engine)});
  }
  return position;
}

/// Largest relative change of a bin up to `share` of the Nyquist wavenumber.
double change(const PowerSpectrum& a, const PowerSpectrum& b, double share) {
  double most = 0;
  for (std::size_t i = 0; i < a.bins.size(); ++i) {
    if (a.bins[i].shell > share * a.mesh / 2) continue;
    most = std::max(most, std::fabs(b.bins[i].power / a.bins[i].power - 1));
  }
  return most;
}

TEST(PowerSpectrum, IsUnchangedWhenAllParticlesMove) {
  const double box = 30;
  const std::vector<Vec3d> position = clumps(20000, box);
  for (const Assignment assignment : assignments) {
    const PowerOptions options{48, assignment, true, 1};
    const PowerSpectrum before = measure(position, box, options);
    double half = 0, most = 0;
    for (const Vec3d step : {Vec3d{0.1, 0.23, -0.31}, Vec3d{17, 0.3125, -1234.5}, Vec3d{0.3, 0.3, 0.3}}) {
      std::vector<Vec3d> moved = position;
      for (Vec3d& x : moved) x += step;
      const PowerSpectrum after = measure(moved, box, options);
      half = std::max(half, change(before, after, 0.5));
      most = std::max(most, change(before, after, 0.7));
    }
    const int order = static_cast<int>(assignment);
    EXPECT_LT(half, order == 2 ? 2e-3 : order == 3 ? 5e-4 : 5e-5);
    EXPECT_LT(most, order == 2 ? 1e-2 : order == 3 ? 1.5e-3 : 4e-4);
  }
}

TEST(PowerSpectrum, FoldsAgreeWithTheUnfolded) {
  // The same wave in both: its mode n is the mode n / 2 once folded.
  const double box = 50, amplitude = 0.1;
  const Vec3d n{10, 6, -4};
  const PowerSpectrum wave = measure(plane_wave(27, box, n, amplitude), box, {64, Assignment::pcs, true, 1});
  const PowerBin &unfolded = bin_of(wave, 0, norm(n)), &folded = bin_of(wave, 1, norm(n) / 2);
  EXPECT_NEAR(folded.power * static_cast<double>(folded.modes) / (unfolded.power * static_cast<double>(unfolded.modes)),
              1, 1e-4);
  EXPECT_NEAR(folded.k / unfolded.k, 1, 0.05);
  // Clumps: other modes of the same bins, so within their scatter; each is of two shells of the unfolded.
  const PowerSpectrum clumped = measure(clumps(20000, box), box, {64, Assignment::tsc, true, 1});
  for (std::uint32_t shell = 3; shell <= 11; ++shell) {
    const PowerBin &a = bin_of(clumped, 0, 2 * shell), &b = bin_of(clumped, 1, shell);
    EXPECT_NEAR(b.power, a.power, 4 * std::hypot(a.sigma, b.sigma)) << shell;
    EXPECT_NEAR(b.k, a.k, 0.03 * a.k);
  }
}

TEST(PowerSpectrum, JoinedTableHasNoOverlap) {
  for (const std::uint32_t mesh : {8U, 10U, 12U, 33U, 64U}) {
    const PowerSpectrum spectrum = measure({{1, 2, 3}}, 10, {mesh, Assignment::tsc, true, 3});
    const std::vector<PowerBin> table = joined(spectrum);
    EXPECT_EQ(table.front().shell, 1U);
    EXPECT_EQ(table.back().fold, 3);
    EXPECT_EQ(table.back().shell, (mesh - 1) / 2);
    for (std::size_t i = 1; i < table.size(); ++i) {
      const auto edge = [](const PowerBin& bin, double side) { return std::ldexp(bin.shell + side, bin.fold); };
      const double gap = edge(table[i], -0.5) - edge(table[i - 1], 0.5);
      EXPECT_GE(gap, 0);
      EXPECT_LT(gap, std::ldexp(1.0, table[i].fold));
      EXPECT_LT(table[i - 1].k, table[i].k);
    }
    EXPECT_EQ(joined(measure({{1, 2, 3}}, 10, {mesh})).size(), (mesh - 1) / 2);
  }
}

TEST(PowerSpectrum, ChoosesAMeshAndRefusesNonsense) {
  EXPECT_EQ(default_mesh(1), 8U);
  EXPECT_EQ(default_mesh(128 * 128 * 128), 256U);
  EXPECT_EQ(default_mesh(100 * 100 * 100), 200U);
  EXPECT_EQ(default_mesh(67 * 67 * 67), 144U);
  EXPECT_EQ(measure({{1, 2, 3}}, 10, {}).mesh, 8U);
  EXPECT_THROW(measure({{1, 2, 3}}, 10, {8, Assignment::tsc, true, 25}), InputError);
  EXPECT_THROW(measure({{1, 2, 3}}, 0, {8}), InputError);
  EXPECT_THROW(measure({}, 10, {8}), InputError);
}

}  // namespace
}  // namespace multiwalk
