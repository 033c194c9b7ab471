// SPDX-License-Identifier: GPL-3.0-or-later
// Angular power that `multiwalk sky` measures in planted shells and predicts, against sums of the test's own.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <sstream>

#include "analysis/sky/sky_spectrum.hpp"
#include "tests/support/sky/flat_universe.hpp"
#include "tests/support/sky/harmonics.hpp"
#include "tests/support/sky/sky_run.hpp"

namespace multiwalk {
namespace {

constexpr double spectra_omega_m = 0.3;

std::vector<std::uint32_t> counts_of(const std::vector<double>& overdensity, double expected) {
  std::vector<std::uint32_t> counts;
  for (const double delta : overdensity) {
    counts.push_back(static_cast<std::uint32_t>(std::llround(expected * (1 + delta))));
  }
  return counts;
}

/// The mean of values[l] over a band, weighted by the number of its harmonics.
double band_mean(const nlohmann::json& band, const std::vector<double>& values) {
  double sum = 0, modes = 0;
  for (auto l = band.at("first").get<std::size_t>(); l <= band.at("last").get<std::size_t>(); ++l) {
    sum += static_cast<double>(2 * l + 1) * values[l];
    modes += static_cast<double>(2 * l + 1);
  }
  return sum / modes;
}

void expect_bands(const nlohmann::json& bands, std::size_t lmax) {
  std::size_t next = 2;
  for (const nlohmann::json& band : bands) {
    const auto first = band.at("first").get<std::size_t>(), last = band.at("last").get<std::size_t>();
    EXPECT_EQ(first, next);
    EXPECT_EQ(band.at("l").get<double>(), static_cast<double>(first + last) / 2);
    EXPECT_LE(static_cast<double>(last), 1.15 * static_cast<double>(first));
    if (last < lmax) {
      EXPECT_GT(static_cast<double>(last + 1), 1.15 * static_cast<double>(first));
    }
    next = last + 1;
  }
  EXPECT_EQ(next, lmax + 1);
}

double at(const nlohmann::json& band, const char* name) {
  return band.at(name).get<double>();
}

/// A sky whose every l has exactly its power, averaged over pixels; lines at the ends of bands weigh most in them.
TEST(SkySpectra, AreThoseOfAGaussianSky) {
  constexpr std::uint32_t nside = 16, lmax = 32;
  std::vector<double> power(lmax + 1, 0);
  for (std::uint32_t l = 2; l <= lmax; ++l) power[l] = 1e-4 / (l * (l + 1.0));
  for (const std::uint32_t line : {12U, 20U, 24U}) power[line] *= 30;
  const std::vector<double> sky = test::sky_of_power(power, nside, 2), window = test::pixel_windows(nside, lmax, 2);
  test::SkyRun run(spectra_omega_m, nside);
  run.add_shell(600, 650, 1e6, counts_of(sky, 1e6));
  const nlohmann::json found = run.analyse(1), shell = found.at("shells").at(0);
  expect_bands(shell.at("bands"), lmax);
  std::vector<double> expected(lmax + 1);
  for (std::uint32_t l = 0; l <= lmax; ++l) expected[l] = power[l] * window[l];
  const double lens = at(shell, "kappa_per_overdensity");
  for (std::size_t b = 0; b < shell.at("bands").size(); ++b) {
    const nlohmann::json &band = shell.at("bands").at(b), &kappa = found.at("kappa").at("bands").at(b);
    const double mean = band_mean(band, expected);
    EXPECT_NEAR(at(band, "measured"), mean, 0.025 * mean) << band;
    EXPECT_NEAR(at(kappa, "measured"), lens * lens * at(band, "measured"), 1e-12 * lens * lens * mean);
  }
}

TEST(SkySpectra, OfPartOfTheSkyArePowerPerSkyInView) {
  constexpr std::uint32_t nside = 16, lmax = 32;
  std::vector<double> power(lmax + 1, 0);
  for (std::uint32_t l = 2; l <= 20; ++l) power[l] = 1e-4 / (l * (l + 1.0));
  std::vector<double> sky = test::sky_of_power(power, nside, 0);
  test::SkyRun run(spectra_omega_m, nside);
  run.parameters.lightcone.opening = SkyOpening::octant;
  run.add_shell(600, 650, 1e6, counts_of(sky, 1e6));
  const nlohmann::json found = run.analyse(1);
  const SeenPixels seen(nside, run.view());
  double used = 0;
  for (std::uint64_t p = 0; p < sky.size(); ++p) {
    seen.contains_around(p) ? used += 1 / static_cast<double>(sky.size()) : sky[p] = 0;
  }
  const std::vector<double> expected = test::power_of_map(sky, nside, lmax);
  for (const nlohmann::json& band : found.at("shells").at(0).at("bands")) {
    const double mean = band_mean(band, expected) / used;
    EXPECT_NEAR(at(band, "measured"), mean, 0.009 * mean) << band;
  }
}

/// Particles without correlation have one power at all l: the sky over their number. Its mean over the 1085 harmonics
/// scatters by 4%.
TEST(SkySpectra, OfRandomParticlesAreShotNoise) {
  constexpr std::uint32_t nside = 16, number = 60000;
  test::SkyRun run(spectra_omega_m, nside);
  std::mt19937_64 random(5);
  std::vector<std::uint32_t> counts(run.pixels(), 0);
  for (std::uint32_t i = 0; i < number; ++i) ++counts[random() % counts.size()];
  run.add_shell(600, 650, number / static_cast<double>(counts.size()), counts);
  const nlohmann::json found = run.analyse(1), shell = found.at("shells").at(0);
  const double shot = 4 * std::numbers::pi / number, lens = at(shell, "kappa_per_overdensity");
  EXPECT_NEAR(at(shell, "shot_noise"), shot, 1e-9 * shot);
  EXPECT_NEAR(at(found.at("kappa"), "shot_noise"), lens * lens * shot, 1e-9 * lens * lens * shot);
  EXPECT_NEAR(at(shell, "expected"), number, 1e-6 * number);
  double sum = 0, modes = 0;
  for (const nlohmann::json& band : shell.at("bands")) {
    const double weight = std::pow(at(band, "last") + 1, 2) - std::pow(at(band, "first"), 2);
    sum += weight * at(band, "measured");
    modes += weight;
  }
  EXPECT_EQ(modes, 33 * 33 - 4);
  EXPECT_NEAR(sum / modes, shot, 0.08 * shot);
}

/// Limber's integral of weight^2 / chi^2 times the power at (l + 1/2) / chi, which is `ratio` times linear theory.
template <class Weight, class Ratio>
double limber_sum(const test::LightTable& light, double near, double far, double l, Weight weight, Ratio ratio) {
  return test::midpoint_sum(near, far, 400, [&](double chi) {
    const double a = light.a(chi), growth = light.growth(chi), k = (l + 0.5) / chi;
    const double power = test::SkyRun::amplitude * std::pow(k, test::SkyRun::slope) * growth * growth * ratio(a);
    return std::pow(weight(chi, a) / chi, 2) * power;
  });
}

class SkyPredictions : public testing::Test {
 protected:
  SkyPredictions() {
    for (std::uint32_t l = 0; l <= lmax; ++l) window_.push_back(pixel_window_squared(l, nside));
    const test::FlatUniverse universe{spectra_omega_m};
    run_.add_epoch(1, universe.growth(0.5), 1.4, 9);
    run_.add_epoch(0, 1, 2.6, 9);
    for (const auto& [near, far] : borders_) run_.add_shell(near, far, number_, counts_);
  }
  static const test::LightTable& light() {
    static const test::LightTable table({spectra_omega_m}, 1500);
    return table;
  }
  /// The planted multiple of linear theory.
  static double ratio(double a) { return a < 0.5 ? 1.4 : 1.4 + 1.2 * std::log2(a / 0.5); }
  static double linear(double /*a*/) { return 1; }
  /// Means over the band of f(l) with the pixels' window, and the shot noise.
  template <class F>
  double predicted(const nlohmann::json& band, double shot, F f) const {
    std::vector<double> values(lmax + 1);
    for (std::uint32_t l = 2; l <= lmax; ++l) values[l] = window_[l] * f(l) + shot;
    return band_mean(band, values);
  }

  static constexpr std::uint32_t nside = 32, lmax = 80;
  const std::vector<std::pair<double, double>> borders_{{500, 800}, {800, 1300}};
  const double number_ = 3000;
  test::SkyRun run_{spectra_omega_m, nside};
  std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(run_.pixels(), 3000);
  std::vector<double> window_;
  double shot_ = 4 * std::numbers::pi / (number_ * static_cast<double>(run_.pixels()));
};

TEST_F(SkyPredictions, OfShells) {
  const nlohmann::json found = run_.analyse(0.6, lmax);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto [near, far] = borders_[s];
    const double volume = (std::pow(far, 3) - std::pow(near, 3)) / 3;
    const auto weight = [volume](double chi, double) { return chi * chi / volume; };
    const auto expect = [&](const nlohmann::json& band, const char* name, auto times) {
      const double mean = predicted(band, shot_, [&](double l) {
        return limber_sum(light(), borders_[s].first, borders_[s].second, l, weight, times);
      });
      EXPECT_NEAR(at(band, name), mean, 1.5e-5 * mean) << name << " " << band;
    };
    const nlohmann::json& bands = found.at("shells").at(s).at("bands");
    expect_bands(bands, lmax);
    for (const nlohmann::json& band : bands) {
      expect(band, "limber", ratio);
      expect(band, "linear", linear);
    }
  }
}

/// q = 3/2 Omega_m (H0/c)^2 chi (chi_s - chi) / (chi_s a).
TEST_F(SkyPredictions, OfTheConvergence) {
  const double source = 1100, a_source = light().a(source);
  const nlohmann::json found = run_.analyse(1 / a_source - 1, lmax);
  const double unit = 1.5 * spectra_omega_m / std::pow(test::FlatUniverse::light_over_hubble, 2);
  const auto weight = [&](double chi, double a) { return unit * chi * (source - chi) / (source * a); };
  double shot = 0;
  for (const nlohmann::json& shell : found.at("shells")) {
    shot += std::pow(at(shell, "kappa_per_overdensity"), 2) * shot_;
  }
  EXPECT_NEAR(at(found.at("kappa"), "shot_noise"), shot, 1e-9 * shot);
  for (const nlohmann::json& band : found.at("kappa").at("bands")) {
    const auto mean = [&](auto times) {
      return predicted(band, shot, [&](double l) { return limber_sum(light(), 500, source, l, weight, times); });
    };
    EXPECT_NEAR(at(band, "limber"), mean(ratio), 1e-5 * mean(ratio)) << band;
    EXPECT_NEAR(at(band, "linear"), mean(linear), 1e-5 * mean(linear)) << band;
  }
}

/// What lies beyond Limber's approximation has the window of the pixels too; of a single l it is known.
TEST_F(SkyPredictions, OfAFlatSky) {
  const nlohmann::json found = run_.analyse(0.6, lmax);
  const Expansion expansion(run_.parameters.cosmology);
  const BeyondLimber beyond(expansion, shell_overdensity(500, 800));
  const PowerAt power = [&](double k, double a) {
    const double growth = test::FlatUniverse{spectra_omega_m}.growth(a);
    return test::SkyRun::amplitude * std::pow(k, test::SkyRun::slope) * growth * growth * ratio(a);
  };
  const nlohmann::json& band = found.at("shells").at(0).at("bands").at(3);
  ASSERT_EQ(at(band, "first"), at(band, "last"));
  const double l = at(band, "l"), expected = window_[5] * beyond(power, l);
  EXPECT_EQ(l, 5);
  EXPECT_NEAR(at(band, "flat_sky") - at(band, "limber"), expected, 5e-9 * std::fabs(expected));
  EXPECT_GT(std::fabs(expected), 0.01 * at(band, "limber"));
}

/// The table has the bands of all maps, in the units of the JSON file.
TEST_F(SkyPredictions, AreInTheTable) {
  const nlohmann::json found = run_.analyse(0.6, lmax);
  std::istringstream table(test::read_bytes(run_.directory / "sky_spectra.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "map,l,first,last,measured,limber,linear,flat_sky");
  const auto expect_rows = [&](const std::string& name, const nlohmann::json& bands) {
    for (const nlohmann::json& band : bands) {
      ASSERT_TRUE(std::getline(table, line));
      std::istringstream words(line);
      std::string word;
      std::getline(words, word, ',');
      EXPECT_EQ(word, name);
      for (const char* column : {"l", "first", "last", "measured", "limber", "linear", "flat_sky"}) {
        ASSERT_TRUE(std::getline(words, word, ','));
        const double value = band.contains(column) ? at(band, column) : at(band, "limber");
        EXPECT_NEAR(std::stod(word), value, 1e-5 * std::fabs(value)) << name << " " << column;
      }
    }
  };
  expect_rows("shell_000", found.at("shells").at(0).at("bands"));
  expect_rows("shell_001", found.at("shells").at(1).at("bands"));
  expect_rows("kappa", found.at("kappa").at("bands"));
  EXPECT_FALSE(std::getline(table, line));
}

}  // namespace
}  // namespace multiwalk
