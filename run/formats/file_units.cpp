// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/formats/file_units.hpp"

#include <charconv>
#include <cmath>

namespace multiwalk {

namespace {

struct KnownUnit {
  std::string_view text;
  Dimension dimension;
  double cgs;
};

constexpr double gram_per_msun = units::gram_per_1e10_msun / 1e10;
constexpr KnownUnit known_units[] = {
    {"Gpc", Dimension::length, units::cm_per_mpc * 1000},
    {"Mpc", Dimension::length, units::cm_per_mpc},
    {"kpc", Dimension::length, units::cm_per_mpc / 1000},
    {"pc", Dimension::length, units::cm_per_mpc / 1e6},
    {"km", Dimension::length, units::cm_per_km},
    {"m", Dimension::length, 100},
    {"cm", Dimension::length, 1},
    {"Msun", Dimension::mass, gram_per_msun},
    {"kg", Dimension::mass, 1000},
    {"g", Dimension::mass, 1},
    {"km/s", Dimension::velocity, units::cm_per_km},
    {"m/s", Dimension::velocity, 100},
    {"cm/s", Dimension::velocity, 1},
};

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

double exact_length(double cgs) {
  constexpr double rounding = 1e-5;
  for (const double power : {1e-6, 1e-3, 1.0, 1e3}) {
    const double exact = units::cm_per_mpc * power;
    if (std::fabs(cgs / exact - 1) < rounding) return exact;
  }
  return cgs;
}

std::optional<FileUnit> parse_file_unit(std::string_view text, Dimension dimension) {
  text = without_spaces(text);
  double factor = 1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), factor);
  const bool has_number = status == std::errc{};
  if (has_number) text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (status == std::errc::result_out_of_range || !std::isfinite(factor) || !(factor > 0)) return std::nullopt;
  text = without_spaces(text);
  if (has_number && text.empty()) return FileUnit{factor, dimension != Dimension::velocity};
  const bool over_h = dimension != Dimension::velocity && text.ends_with("/h");
  if (over_h) text = without_spaces(text.substr(0, text.size() - 2));
  for (const KnownUnit& known : known_units) {
    if (known.dimension == dimension && known.text == text) return FileUnit{factor * known.cgs, over_h};
  }
  return std::nullopt;
}

}  // namespace multiwalk
