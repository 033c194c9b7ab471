// SPDX-License-Identifier: GPL-3.0-or-later
// Draws maps of the projected density as images with a caption, a scale bar and a colour bar.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/pictures/colour_map.hpp"
#include "analysis/pictures/colour_scale.hpp"
#include "analysis/pictures/image.hpp"
#include "analysis/pictures/projection.hpp"

namespace multiwalk {

struct ImageLabels {
  std::string length_unit;        ///< of the scale bar, e.g. "Mpc/h"
  std::string caption;            ///< e.g. "z = 0.50"
  std::string density_unit = {};  ///< of the colour bar
  double density_factor = 1;      ///< the map's unit in units of density_unit
};

/// An image shows no labels, a caption and scale bar, or both of them with a colour bar if there is room for it.
enum class Lettered { nothing, scale, everything };

/// Their names, in the order of Lettered.
constexpr std::array<std::string_view, 3> lettered_names{"none", "scale", "all"};

struct ImageStyle {
  Colours colours = Colours::inferno;
  std::optional<ColourScale> scale = {};  ///< in the unit of the colour bar; none: chosen
  Lettered lettered = Lettered::everything;
};

/// The longest of 1, 2, 5 x 10^n that is at most the given length; 0 if that is not positive.
double round_length(double at_most);

/// Writes over an image that is `extent` wide: the caption at the top left, the colour bar at the bottom left, the
/// scale bar at the bottom right. With Lettered::everything the style has a scale.
void draw_labels(Image& image, double extent, const ImageLabels& labels, const ImageStyle& style);

Image render(const SurfaceDensity& density, const ImageLabels& labels, const ImageStyle& style = {});

struct Panel {
  SurfaceDensity density;
  ImageLabels labels;
};

/// Draws several panels of the same size in rows of `columns`, with one colour scale for all of them; the first panel
/// shows its colour bar. Throws InputError if there are no panels or their sizes differ.
Image render_panels(std::span<const Panel> panels, std::uint32_t columns, const ImageStyle& style = {});

}  // namespace multiwalk
