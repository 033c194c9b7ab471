// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/sky/light_path.hpp"

#include <cmath>

#include "host/base/error.hpp"
#include "host/base/units.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr double light_speed = units::speed_of_light;

double growth_rate(const Expansion& expansion, double a) {
  return a * a * a * expansion.hubble(a);
}

}  // namespace

double light_distance(const Expansion& expansion, double a) {
  return light_speed * expansion.kick_factor(a, 1);
}

double departure(const Expansion& expansion, double distance) {
  double ln_a = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double a = std::exp(ln_a);
    const double step = (light_distance(expansion, a) - distance) * a * expansion.hubble(a) / light_speed;
    ln_a += std::fmax(-1.0, std::fmin(1.0, step));
    if (std::fabs(step) < 1e-13) return std::exp(ln_a);
  }
  throw InputError("no light arrives from a comoving distance of " + text_of(distance) + " Mpc/h");
}

LightPath::LightPath(const Expansion& expansion, const Drift& drift)
    : begin(light_distance(expansion, drift.begin)),
      end(light_distance(expansion, drift.end)),
      distance(begin, -light_speed * drift.begin * drift.factor, end, -light_speed * drift.end * drift.factor),
      a(drift.begin, growth_rate(expansion, drift.begin) * drift.factor, drift.end,
        growth_rate(expansion, drift.end) * drift.factor) {}

}  // namespace multiwalk
