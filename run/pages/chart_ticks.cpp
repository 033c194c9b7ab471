// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "run/files/number_text.hpp"
#include "run/pages/chart.hpp"

namespace multiwalk {

namespace {

std::string tick_label(double value, double step) {
  const double size = std::max(std::fabs(value), step);
  if (size >= 1e5 || size < 1e-4) {
    if (value == 0) return "0";
    const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    const int digits = std::max(0, power - static_cast<int>(std::floor(std::log10(step) + 1e-9)));
    return fmt::format("{:.{}f}×{}", value / std::pow(10.0, power), digits, power_of_ten(power));
  }
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return step >= 1 ? with_commas(value) : fmt::format("{:.{}f}", value, digits);
}

std::vector<ChartTick> linear_ticks(double lo, double hi, int count) {
  const double raw = (hi - lo) / count, decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * decade;
  for (double digit : {5.0, 2.0, 1.0}) {
    if (digit * decade >= raw * (1 - 1e-9)) step = digit * decade;
  }
  std::vector<ChartTick> ticks;
  const double first = std::ceil(lo / step - 1e-6) + 0.0;
  for (int k = 0; k <= 10 * count && (first + k) * step <= hi + 1e-6 * step; ++k) {
    ticks.push_back({(first + k) * step, tick_label((first + k) * step, step)});
  }
  return ticks;
}

/// "0.02", "500", "5×10⁸".
std::string short_label(double digit, int power) {
  if (power < -3 || power > 4) return fmt::format("{:g}×{}", digit, power_of_ten(power));
  return power >= 0 ? with_commas(digit * std::pow(10.0, power)) : fmt::format("{:g}", digit * std::pow(10.0, power));
}

std::vector<ChartTick> log_ticks(double lo, double hi, int count) {
  const int first = static_cast<int>(std::ceil(std::log10(lo) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(hi) + 1e-9));
  std::vector<ChartTick> ticks;
  if (last - first >= 1) {
    const int every = 1 + (last - first) / std::max(count, 1);
    for (int power = first; power <= last; power += every)
      ticks.push_back({std::pow(10.0, power), power_of_ten(power)});
    return ticks;
  }
  for (int power = first - 1; power <= last; ++power) {
    for (double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * std::pow(10.0, power);
      if (value >= lo * (1 - 1e-9) && value <= hi * (1 + 1e-9)) ticks.push_back({value, short_label(digit, power)});
    }
  }
  return ticks;
}

}  // namespace

std::vector<ChartTick> round_ticks(double lo, double hi, bool logarithmic, int count) {
  if (!(hi > lo) || !std::isfinite(hi - lo) || (logarithmic && !(lo > 0))) return {};
  return logarithmic ? log_ticks(lo, hi, count) : linear_ticks(lo, hi, count);
}

}  // namespace multiwalk
