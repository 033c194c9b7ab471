// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gravity/ewald_lattice.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "host/base/error.hpp"
#include "host/gravity/softened_wave.hpp"

namespace multiwalk {

namespace {

using std::numbers::inv_sqrtpi;
using std::numbers::pi;

/// erfc(real_reach) and exp(-real_reach^2) are below 1e-17.
constexpr double real_reach = 6.3;
constexpr int most_waves = 16;

/// erf(x) - 2 x exp(-x^2)/sqrt(pi), divided by x^3: for small x by erf's series in positive terms.
double enclosed_mass(double x) {
  const double gauss = 2 * inv_sqrtpi * std::exp(-x * x);
  if (x > 1) return (std::erf(x) - gauss * x) / (x * x * x);
  double term = 2.0 / 3, sum = 0;
  for (int n = 2; term > 1e-17; ++n) {
    sum += term;
    term *= 2 * x * x / (2 * n + 1);
  }
  return gauss * sum;
}

/// cos and sin of 2 pi h x for h = 0, 1, ...
struct Harmonics {
  std::array<double, most_waves + 1> c, s;

  Harmonics(double x, int most) {
    for (int h = 0; h <= most; ++h) {
      const auto k = static_cast<std::size_t>(h);
      c[k] = std::cos(2 * pi * h * x);
      s[k] = std::sin(2 * pi * h * x);
    }
  }
};

}  // namespace

EwaldLattice::EwaldLattice(double softening, double alpha)
    : softening2_(softening * softening),
      alpha_(alpha),
      mean_(softened_pair_volume(alpha, softening)),
      cut_(real_reach / alpha),
      images_(static_cast<int>(std::ceil(cut_ - 0.4))),
      waves_(static_cast<int>(std::ceil(real_reach * alpha / pi))) {
  require(alpha > 0 && waves_ <= most_waves, "EwaldLattice: alpha out of range");
  for (int hx = 0; hx <= waves_; ++hx)
    for (int hy = 0; hy <= waves_; ++hy)
      for (int hz = 0; hz <= waves_; ++hz) {
        const double h2 = hx * hx + hy * hy + hz * hz;
        if (h2 == 0 || h2 > waves_ * waves_) continue;
        const double number = (hx > 0 ? 2 : 1) * (hy > 0 ? 2 : 1) * (hz > 0 ? 2 : 1);
        const double x = pi * pi * h2 / (alpha * alpha), y = 4 * pi * pi * h2 * softening2_;
        wave_.push_back({hx, hy, hz, number * 2 / h2 * std::exp(-x) * softened_wave(x, y)});
      }
}

ForceSum<double> EwaldLattice::correction(Vec3d d) const {
  ForceSum<double> sum;
  add_images(d, sum);
  add_waves(d, sum);
  sum.potential -= mean_;
  return sum;
}

void EwaldLattice::add_images(Vec3d d, ForceSum<double>& sum) const {
  const auto add = [&](Vec3d r, double weight, double potential) {
    sum.x += weight * r.x;
    sum.y += weight * r.y;
    sum.z += weight * r.z;
    sum.potential += potential;
  };
  for (int nx = -images_; nx <= images_; ++nx)
    for (int ny = -images_; ny <= images_; ++ny)
      for (int nz = -images_; nz <= images_; ++nz) {
        const Vec3d r{d.x + nx, d.y + ny, d.z + nz};
        const double r2 = norm2(r) + softening2_;
        if ((nx == 0 && ny == 0 && nz == 0) || r2 > cut_ * cut_) continue;
        const double distance = std::sqrt(r2), x = alpha_ * distance, outside = std::erfc(x);
        const double weight = (outside + 2 * inv_sqrtpi * x * std::exp(-x * x)) / (r2 * distance);
        add(r, weight, outside / distance);
      }
  // The nearest image itself is not part of the correction; only its share in the waves is subtracted.
  const double distance = std::sqrt(norm2(d) + softening2_), x = alpha_ * distance;
  const double inside = x > 0 ? std::erf(x) / distance : 2 * inv_sqrtpi * alpha_;
  add(d, -alpha_ * alpha_ * alpha_ * enclosed_mass(x), -inside);
}

void EwaldLattice::add_waves(Vec3d d, ForceSum<double>& sum) const {
  const Harmonics x(d.x, waves_), y(d.y, waves_), z(d.z, waves_);
  for (const Waves& wave : wave_) {
    const auto hx = static_cast<std::size_t>(wave.hx), hy = static_cast<std::size_t>(wave.hy),
               hz = static_cast<std::size_t>(wave.hz);
    sum.x += wave.weight * wave.hx * x.s[hx] * y.c[hy] * z.c[hz];
    sum.y += wave.weight * wave.hy * x.c[hx] * y.s[hy] * z.c[hz];
    sum.z += wave.weight * wave.hz * x.c[hx] * y.c[hy] * z.s[hz];
    sum.potential += wave.weight / (2 * pi) * x.c[hx] * y.c[hy] * z.c[hz];
  }
}

}  // namespace multiwalk
