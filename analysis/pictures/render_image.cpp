// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/render_image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/pictures/brush.hpp"
#include "analysis/pictures/colour_bar.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::uint32_t least_for_colour_bar = 250;  ///< pixels

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// A bar of a round length with its right end at `right`, its lettering above it.
void draw_scale_bar(Brush& brush, double right, double y, double pixels_per_length, const std::string& text) {
  const double half = brush.line_width() / 2, tick = 0.35 * brush.height(), left = right - pixels_per_length;
  const Bar bars[] = {{left, y - half, right, y + half},
                      {left - half, y - tick, left + half, y + tick},
                      {right - half, y - tick, right + half, y + tick}};
  for (const Bar& bar : bars) brush.shade(bar);
  for (const Bar& bar : bars) brush.fill(bar);
  const double width = brush.width(text);
  brush.write(text, std::min(0.5 * (left + right - width), right - width), y - 0.9 * brush.height());
}

/// `style` with a scale.
Image paint(const SurfaceDensity& density, const ImageLabels& labels, const ImageStyle& style) {
  require(density.value.size() == std::size_t{density.width} * density.height, "render: map and size differ");
  Image image{density.width, density.height, std::vector<std::uint8_t>(3 * density.value.size())};
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < density.value.size(); ++i) {
    const double level = style.scale->level(labels.density_factor * density.value[i]);
    const std::array<double, 3> colour = colour_of(style.colours, level);
    for (std::size_t c = 0; c < 3; ++c) image.rgb[3 * i + c] = static_cast<std::uint8_t>(std::lround(colour[c]));
  }
  draw_labels(image, density.extent_x, labels, style);
  return image;
}

/// With a scale chosen for these densities if it has none.
ImageStyle scaled(ImageStyle style, std::span<const float> densities, double factor) {
  if (style.scale) return style;
  const ColourScale chosen = choose_scale(densities);
  style.scale = ColourScale{chosen.low * factor, chosen.high * factor};
  return style;
}

}  // namespace

double round_length(double at_most) {
  if (!(at_most > 0) || !std::isfinite(at_most)) return 0;
  const double decade = std::pow(10.0, std::floor(std::log10(at_most) + 1e-12));
  for (double digit : {5.0, 2.0}) {
    if (digit * decade <= at_most * (1 + 1e-12)) return digit * decade;
  }
  return decade;
}

void draw_labels(Image& image, double extent, const ImageLabels& labels, const ImageStyle& style) {
  if (style.lettered == Lettered::nothing) return;
  const double height = std::max(9.0, 0.021 * image.width), margin = 1.4 * height;
  Brush brush(image, height);
  brush.write(labels.caption, margin, margin + height);
  const double bottom = image.height - margin, right = image.width - margin;
  if (style.lettered == Lettered::everything && image.width >= least_for_colour_bar) {
    draw_colour_bar(brush, {margin, 0, margin + 0.3 * image.width, bottom}, style.colours, *style.scale,
                    labels.density_unit);
  }
  const double length = round_length(extent / 4);
  if (!(length > 0)) return;
  draw_scale_bar(brush, right, bottom, length / extent * image.width, number(length) + " " + labels.length_unit);
}

Image render(const SurfaceDensity& density, const ImageLabels& labels, const ImageStyle& style) {
  return paint(density, labels, scaled(style, density.value, labels.density_factor));
}

Image render_panels(std::span<const Panel> panels, std::uint32_t columns, const ImageStyle& style) {
  if (panels.empty() || columns == 0) throw InputError("a figure of panels needs at least one");
  const std::uint32_t width = panels[0].density.width, height = panels[0].density.height;
  std::vector<float> values;
  for (const Panel& panel : panels) {
    if (panel.density.width != width || panel.density.height != height) {
      throw InputError("the panels of a figure differ in size: use snapshots of one run");
    }
    values.insert(values.end(), panel.density.value.begin(), panel.density.value.end());
  }
  ImageStyle common = scaled(style, values, panels[0].labels.density_factor);
  columns = std::min(columns, static_cast<std::uint32_t>(panels.size()));
  const auto rows = (static_cast<std::uint32_t>(panels.size()) + columns - 1) / columns;
  Image figure{columns * width, rows * height, {}};
  figure.rgb.resize(3 * std::size_t{figure.width} * figure.height);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    if (p == 1) common.lettered = std::min(common.lettered, Lettered::scale);
    const Image image = paint(panels[p].density, panels[p].labels, common);
    const std::size_t left = p % columns * width, top = p / columns * height, row_bytes = std::size_t{3} * width;
    for (std::size_t row = 0; row < height; ++row) {
      std::copy_n(&image.rgb[row * row_bytes], row_bytes, &figure.rgb[3 * ((top + row) * figure.width + left)]);
    }
  }
  return figure;
}

}  // namespace multiwalk
