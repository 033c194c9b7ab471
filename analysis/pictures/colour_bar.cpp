// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/colour_bar.hpp"

#include <algorithm>
#include <cmath>

namespace multiwalk {

namespace {

/// digit x 10^power, plainly from 0.001 to 1000.
ColourTick tick_of(int digit, int power) {
  const double value = digit * std::pow(10.0, power);
  const std::string lead = std::to_string(digit);
  if (power >= 0 && power <= 3) return {value, lead + std::string(static_cast<std::size_t>(power), '0'), ""};
  if (power < 0 && power >= -3)
    return {value, "0." + std::string(static_cast<std::size_t>(-power - 1), '0') + lead, ""};
  const std::string sign = power < 0 ? "−" : "";
  return {value, digit == 1 ? "10" : lead + "×10", sign + std::to_string(std::abs(power))};
}

}  // namespace

std::vector<ColourTick> colour_ticks(const ColourScale& scale) {
  constexpr double faintest = 0.05;  // level of the first tick after 0
  const int last = static_cast<int>(std::floor(std::log10(scale.high)));
  const auto ticks_with = [&](std::initializer_list<int> digits) {
    std::vector<ColourTick> ticks{{0, "0", ""}};
    for (int power = last - 12; power <= last; ++power) {
      for (const int digit : digits) {
        ColourTick tick = tick_of(digit, power);
        const bool shown = tick.value <= scale.high * (1 + 1e-9) && scale.level(tick.value) >= faintest;
        if (shown) ticks.push_back(std::move(tick));
      }
    }
    return ticks;
  };
  std::vector<ColourTick> ticks = ticks_with({1});
  return ticks.size() >= 3 ? ticks : ticks_with({1, 2, 5});
}

void draw_colour_bar(Brush& brush, const Bar& place, Colours colours, const ColourScale& scale,
                     const std::string& unit) {
  const double height = brush.height(), line = brush.line_width(), tick_length = 0.3 * height;
  const double left = std::round(place.left), width = std::round(place.right) - left;
  const double bottom = std::round(place.bottom - 1.5 * height - tick_length), top = bottom - std::round(0.8 * height);
  const Bar frame{left - line, top - line, left + width + line, bottom + line};
  brush.shade(frame);
  brush.fill(frame);
  for (double x = 0; x < width; ++x) {
    brush.paint({left + x, top, left + x + 1, bottom}, colour_of(colours, (x + 0.5) / width));
  }
  brush.write(unit, left - line, top - 0.9 * height);
  std::vector<ColourTick> ticks = colour_ticks(scale);
  const double zero_ends = left + brush.width(ticks.front().text) / 2 + 0.7 * height;
  double free_to = 1e9;
  for (std::size_t t = ticks.size(); t-- > 0;) {
    const ColourTick& tick = ticks[t];
    const double x = left + scale.level(tick.value) * width, span = brush.width(tick.text, tick.exponent);
    if (t > 0 && (x + span / 2 > free_to || x - span / 2 < zero_ends)) continue;
    brush.fill({x - line / 2, bottom, x + line / 2, bottom + line + tick_length});
    brush.write(tick.text, x - span / 2, place.bottom, tick.exponent);
    free_to = x - span / 2 - 0.7 * height;
  }
}

}  // namespace multiwalk
