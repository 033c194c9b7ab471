// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/number_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace multiwalk {

namespace {

/// Three significant digits without exponent; trailing zeros kept.
std::string three_digits(double value) {
  const int decade = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value) * 1.0005)));
  return fmt::format("{:.{}f}", value, std::max(0, 2 - decade));
}

}  // namespace

std::string with_commas(double value) {
  if (!std::isfinite(value)) return "-";
  std::string digits = fmt::format("{:.0f}", std::fabs(value));
  for (std::size_t place = digits.size(); place > 3; place -= 3) digits.insert(place - 3, ",");
  return (value <= -0.5 ? "-" : "") + digits;
}

std::string power_of_ten(int power) {
  static constexpr std::array<const char*, 10> superscripts{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  if (power < 0) text += "⁻";
  for (char digit : std::to_string(std::abs(power))) text += superscripts[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string scientific(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  int power = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  double mantissa = value / std::pow(10.0, power);
  if (std::fabs(mantissa) >= 9.995) {
    mantissa /= 10;
    ++power;
  }
  if (power >= -3 && power < 5) return power >= 3 ? with_commas(value) : three_digits(value);
  return fmt::format("{:.2f} × {}", mantissa, power_of_ten(power));
}

std::string with_prefix(double value) {
  static constexpr std::array<const char*, 7> prefixes{"", "k", "M", "G", "T", "P", "E"};
  if (!std::isfinite(value)) return "- ";
  std::size_t step = 0;
  while (std::fabs(value) >= 999.5 && step + 1 < prefixes.size()) {
    value /= 1000;
    ++step;
  }
  return three_digits(value) + " " + prefixes[step];
}

std::string duration(double seconds) {
  constexpr double year = 365.25 * 86400;
  if (!std::isfinite(seconds) || seconds < 0) return "-";
  if (seconds > 1000 * year) return "more than 1000 years";
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", 1e3 * seconds);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

}  // namespace multiwalk
