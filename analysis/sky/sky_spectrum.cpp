// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/sky_spectrum.hpp"

#include <healpix_cxx/alm.h>
#include <healpix_cxx/alm_healpix_tools.h>
#include <healpix_cxx/alm_powspec_tools.h>
#include <healpix_cxx/healpix_map.h>
#include <healpix_cxx/powspec.h>

#include <cmath>
#include <numbers>

#include "analysis/sky/light_path.hpp"
#include "host/base/gsl_check.hpp"
#include "host/base/units.hpp"

namespace multiwalk {

namespace {

constexpr int quadrature = 48;  ///< intervals of Simpson's rule over a projection

}  // namespace

std::vector<double> angular_power(std::span<const double> map, std::uint32_t nside, std::uint32_t lmax,
                                  double seen_fraction) {
  Healpix_Map<double> sky(static_cast<int>(nside), RING, SET_NSIDE);
  for (std::size_t p = 0; p < map.size(); ++p) sky[sky.nest2ring(static_cast<int>(p))] = map[p];
  const int top = static_cast<int>(lmax), iterations = 3;
  Alm<xcomplex<double>> alm(top, top);
  const arr<double> weight(static_cast<tsize>(2 * nside), 1.0);
  map2alm_iter(sky, alm, iterations, weight);
  PowSpec spectrum;
  extract_powspec(alm, spectrum);
  std::vector<double> power(lmax + 1);
  for (int l = 0; l <= top; ++l) power[static_cast<std::size_t>(l)] = spectrum.tt(l) / seen_fraction;
  return power;
}

double pixel_window_squared(double l, std::uint32_t nside) {
  const double area = std::numbers::pi / 3 / (static_cast<double>(nside) * nside);
  const double square = l * (l + 1) * area / 12;  // to first order, of squares
  return std::exp(-square * (1.068 + 0.053 * square));
}

double limber(const Expansion& expansion, const Projection& projection, const PowerAt& power, double l) {
  const double first = std::fmax(projection.near, 1e-3 * projection.far);
  const double step = (projection.far - first) / quadrature;
  double sum = 0;
  for (int i = 0; i <= quadrature; ++i) {
    const double chi = first + i * step, a = departure(expansion, chi);
    const double weight = projection.weight(chi, a) / chi;
    const double simpson = i == 0 || i == quadrature ? 1 : i % 2 == 1 ? 4 : 2;
    sum += simpson * weight * weight * power((l + 0.5) / chi, a);
  }
  return sum * step / 3;
}

BeyondLimber::BeyondLimber(const Expansion& expansion, const Projection& projection) {
  constexpr int samples = 1001, waves = 800;
  const double first = std::fmax(projection.near, 1e-3 * projection.far), depth = projection.far - first;
  const double step = depth / samples, wave = std::numbers::pi / (5 * depth);  // 80 oscillations at most
  std::vector<double> value(samples);
  double sum = 0;
  for (int i = 0; i < samples; ++i) {
    const double chi = first + (i + 0.5) * step, weight = projection.weight(chi, departure(expansion, chi));
    value[static_cast<std::size_t>(i)] = weight / chi;
    square_ += weight * weight / (chi * chi) * step;
    distance_ += weight * chi;
    sum += weight;
  }
  distance_ /= sum;
  a_ = departure(expansion, distance_);
  double total = 0;
  for (int j = 0; j < waves; ++j) {
    k_.push_back((j + 0.5) * wave);
    double real = 0, imaginary = 0;
    for (int i = 0; i < samples; ++i) {
      const double phase = k_.back() * (i + 0.5) * step;
      real += value[static_cast<std::size_t>(i)] * std::cos(phase);
      imaginary += value[static_cast<std::size_t>(i)] * std::sin(phase);
    }
    share_.push_back(real * real + imaginary * imaginary);
    total += share_.back();
  }
  for (double& share : share_) share /= total;
}

double BeyondLimber::operator()(const PowerAt& power, double l) const {
  const double across = (l + 0.5) / distance_;
  double mean = 0;
  for (std::size_t j = 0; j < k_.size(); ++j) mean += share_[j] * power(std::hypot(across, k_[j]), a_);
  return square_ * (mean - power(across, a_));
}

Projection lensing(const Expansion& expansion, double near, double far, double source) {
  const double unit = 1.5 * expansion.parameters().omega_m * std::pow(expansion.hubble0() / units::speed_of_light, 2);
  return {near, std::fmin(far, source),
          [=](double chi, double a) { return unit * chi * std::fmax(source - chi, 0) / (source * a); }};
}

double shell_convergence(const Expansion& expansion, double near, double far, double source) {
  if (near >= source) return 0;
  const Projection q = lensing(expansion, near, far, source);
  return integrate([&](double chi) { return q.weight(chi, departure(expansion, chi)); }, q.near, q.far, 1e-8);
}

Projection shell_overdensity(double near, double far) {
  const double volume = (std::pow(far, 3) - std::pow(near, 3)) / 3;
  return {near, far, [=](double chi, double) { return chi * chi / volume; }};
}

}  // namespace multiwalk
