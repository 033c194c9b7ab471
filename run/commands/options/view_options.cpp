// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/options/view_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string_view>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/files/printable.hpp"
#include "run/parameters/parameter_value.hpp"

namespace multiwalk {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& wanted) {
  throw SharedError(option + " " + printable(value) + ": " + wanted);
}

/// All elements of a list, or none.
std::vector<double> lengths_of(const std::string& list, const UnitContext& units) {
  std::vector<double> lengths;
  for (const auto part : std::views::split(list, ',')) {
    const std::optional<double> length = length_of({part.begin(), part.end()}, units);
    if (!length) return {};
    lengths.push_back(*length);
  }
  return lengths;
}

void look_at_region(const std::string& text, const UnitContext& units, View& view) {
  const std::vector<double> v = lengths_of(text, units);
  const bool sizes = std::all_of(v.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(v.size(), 3)), v.end(),
                                 [](double size) { return size > 0; });
  if ((v.size() != 4 && v.size() != 6) || !sizes) {
    refuse("--region", text,
           units.model_units ? "give a centre and a width, X,Y,Z,W, or three extents, X,Y,Z,WX,WY,WZ, in model units"
                             : "give a centre and a width, X,Y,Z,W, or three extents, X,Y,Z,WX,WY,WZ, each a number in "
                               "Mpc/h or such as \"30 Mpc\"");
  }
  view.centre = Vec3d{v[0], v[1], v[2]};
  view.extent = v.size() == 4 ? Vec3d{v[3], v[3], v[3]} : Vec3d{v[3], v[4], v[5]};
}

ColourScale scale_from(const std::string& text) {
  const std::vector<double> v = lengths_of(text, {.model_units = true});
  const ColourScale scale = v.size() == 2 ? ColourScale{v[0], v[1]} : ColourScale{0, 0};
  if (!(scale.low > 0 && scale.low < scale.high)) {
    refuse("--range", text, "give LOW,HIGH with 0 < LOW < HIGH in the unit of the colour bar, e.g. 1e12,1e14");
  }
  return scale;
}

template <class Names>
std::size_t choice_of(const std::string& option, const std::string& value, const Names& names) {
  const auto found = std::ranges::find(names, value);
  if (found != std::end(names)) return static_cast<std::size_t>(found - std::begin(names));
  refuse(option, value, fmt::format("use {}", fmt::join(names, ", ")));
}

constexpr std::array<std::string_view, 3> view_axes{"x", "y", "z"};

}  // namespace

void ViewOptions::add_to(CLI::App& command) {
  command.add_option("--axis", axis, "line of sight: x, y or z")->capture_default_str();
  command.add_option("--pixels", pixels, "width of the image, or of each panel")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  command.add_option("--region", region,
                     "what to draw: X,Y,Z,W, the cube of side W about X,Y,Z, or X,Y,Z,WX,WY,WZ, a box; lengths in "
                     "Mpc/h (Newtonian: model units) or with a unit, e.g. \"30,40,50,20 Mpc\"; coordinates as "
                     "`multiwalk halos` prints them");
  command.add_option("--slab", slab, "thickness along the line of sight, e.g. 10 or \"15 Mpc\"");
  command.add_option("--colours,--colors", colours, "colour map: inferno, magma, plasma, viridis or grey")
      ->capture_default_str();
  command.add_option(
      "--range", range,
      "LOW,HIGH: the colours of a series. HIGH is the brightest; colours are logarithmic down to LOW and "
      "fade linearly below it; in the unit of the colour bar, e.g. 1e12,1e14");
  command.add_option("--labels", labels, "all; scale: without colour bar; none")->capture_default_str();
}

View ViewOptions::view_of(const SnapshotInfo& info) const {
  const bool comoving = info.system.frame == Frame::comoving;
  const UnitContext units{info.cosmology.h, !comoving};
  View view{.pixels = pixels, .axis = static_cast<int>(choice_of("--axis", axis, view_axes))};
  if (!region.empty()) look_at_region(region, units, view);
  if (!slab.empty()) {
    view.slab = length_of(slab, units).value_or(0);
    if (!(view.slab > 0)) {
      refuse("--slab", slab,
             comoving ? "give a length > 0 such as 10 (Mpc/h), \"15 Mpc\" or \"500 kpc/h\""
                      : "give a length > 0 in model units");
    }
  }
  view.style.colours = static_cast<Colours>(choice_of("--colours", colours, colours_names));
  if (!range.empty()) view.style.scale = scale_from(range);
  view.style.lettered = static_cast<Lettered>(choice_of("--labels", labels, lettered_names));
  return view;
}

}  // namespace multiwalk
