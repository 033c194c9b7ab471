// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis/pictures/colour_map.hpp"
#include "analysis/pictures/lettering.hpp"
#include "analysis/pictures/projection.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr double least_contrast = 3.5;   ///< brightest over median, so that a smooth field looks smooth
constexpr double most_below = 8;         ///< median over faintest
constexpr double level_of_median = 0.4;  ///< place of the median on the colour map

/// Logarithmic stretch: 0 at `low` and below, 1 at `high` and above, a power of the logarithm between.
struct Stretch {
  double low = 1, high = 2, power = 1;
  [[nodiscard]] double operator()(double value) const {
    return value > low ? std::pow(std::min(std::log(value / low) / std::log(high / low), 1.0), power) : 0;
  }
};

Stretch choose_stretch(const std::vector<float>& values) {
  std::vector<float> positive;
  std::copy_if(values.begin(), values.end(), std::back_inserter(positive),
               [](float v) { return std::isfinite(v) && v > 0; });
  if (positive.empty()) return {};
  const auto percentile = [&](double fraction) {
    const auto place =
        positive.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(positive.size() - 1));
    std::nth_element(positive.begin(), place, positive.end());
    return static_cast<double>(*place);
  };
  const double median = percentile(0.5);
  const double high = std::max(percentile(0.9995), median * least_contrast);
  const double low = std::max(std::min(percentile(0.02), median / 2), median / most_below);
  const double linear = std::log(median / low) / std::log(high / low);
  return {low, high, std::clamp(std::log(level_of_median) / std::log(linear), 0.6, 4.0)};
}

constexpr double white = 255, rim_shade = 0, rim_opacity = 0.45;

/// Blends a shade over a pixel; a cover of 1 hides what was there.
void blend(std::uint8_t* pixel, double cover, double shade) {
  for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + cover * (shade - pixel[c])));
}

void blend(Image& image, const Ink& ink, double shade, double opacity) {
  for (int row = std::max(0, -ink.top); row < ink.height && ink.top + row < static_cast<int>(image.height); ++row) {
    for (int column = std::max(0, -ink.left); column < ink.width && ink.left + column < static_cast<int>(image.width);
         ++column) {
      const auto from =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(ink.width) + static_cast<std::size_t>(column);
      const std::size_t to =
          static_cast<std::size_t>(ink.top + row) * image.width + static_cast<std::size_t>(ink.left + column);
      blend(&image.rgb[3 * to], opacity * ink.cover[from] / 255, shade);
    }
  }
}

/// A filled rectangle in pixels, y downwards.
struct Bar {
  double left, top, right, bottom;
};

/// The bar, `more` larger on all sides, with soft edges.
void blend(Image& image, const Bar& bar, double more, double shade, double opacity) {
  const auto inside = [more](double low, double high, double pixel) {
    return std::clamp(std::min(pixel + 1, high + more) - std::max(pixel, low - more), 0.0, 1.0);
  };
  const auto clip = [](double v, std::uint32_t size) {
    return static_cast<std::uint32_t>(std::clamp(v, 0.0, double(size)));
  };
  for (std::uint32_t row = clip(std::floor(bar.top - more), image.height);
       row < clip(std::ceil(bar.bottom + more), image.height); ++row) {
    for (std::uint32_t column = clip(std::floor(bar.left - more), image.width);
         column < clip(std::ceil(bar.right + more), image.width); ++column) {
      const double cover = inside(bar.top, bar.bottom, row) * inside(bar.left, bar.right, column);
      blend(&image.rgb[3 * (std::size_t{row} * image.width + column)], opacity * cover, shade);
    }
  }
}

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Caption at the top left, scale bar at the bottom right, in white with a dark rim.
void draw_labels(Image& image, double extent, const ImageLabels& labels) {
  const double height = std::max(9.0, 0.021 * image.width), margin = 1.4 * height;
  const double half_width = std::max(0.6, 0.06 * height), rim = 1.2 * half_width + 1;
  const Lettering letters(height);
  const auto write = [&](const std::string& text, double x, double y) {
    blend(image, letters.line(text, x, y, rim), rim_shade, rim_opacity);
    blend(image, letters.line(text, x, y), white, 1);
  };
  write(labels.caption, margin, margin + height);
  const double length = round_length(extent / 4);
  if (!(length > 0)) return;
  const double y = image.height - margin, right = image.width - margin, left = right - length / extent * image.width;
  const double tick = 0.35 * height;
  const Bar bars[] = {{left, y - half_width, right, y + half_width},
                      {left - half_width, y - tick, left + half_width, y + tick},
                      {right - half_width, y - tick, right + half_width, y + tick}};
  for (const Bar& bar : bars) blend(image, bar, rim, rim_shade, rim_opacity);
  for (const Bar& bar : bars) blend(image, bar, 0, white, 1);
  const std::string text = number(length) + " " + labels.length_unit;
  const double width = letters.width(text);
  write(text, std::min(0.5 * (left + right - width), right - width), y - 0.9 * height);
}

Image paint(const SurfaceDensity& density, const ImageLabels& labels, const Stretch& stretch) {
  require(density.value.size() == std::size_t{density.width} * density.height, "render: map and size differ");
  Image image{density.width, density.height, std::vector<std::uint8_t>(3 * density.value.size())};
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < density.value.size(); ++i) {
    const std::array<double, 3> colour = inferno(stretch(density.value[i]));
    for (std::size_t c = 0; c < 3; ++c) image.rgb[3 * i + c] = static_cast<std::uint8_t>(std::lround(colour[c]));
  }
  draw_labels(image, density.extent_x, labels);
  return image;
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

Image render(const SurfaceDensity& density, const ImageLabels& labels) {
  return paint(density, labels, choose_stretch(density.value));
}

Image render_panels(std::span<const Panel> panels, std::uint32_t columns) {
  if (panels.empty() || columns == 0) throw InputError("a figure of panels needs at least one");
  const std::uint32_t width = panels[0].density.width, height = panels[0].density.height;
  std::vector<float> values;
  for (const Panel& panel : panels) {
    if (panel.density.width != width || panel.density.height != height) {
      throw InputError("the panels of a figure differ in size: use snapshots of one run");
    }
    values.insert(values.end(), panel.density.value.begin(), panel.density.value.end());
  }
  const Stretch stretch = choose_stretch(values);
  columns = std::min(columns, static_cast<std::uint32_t>(panels.size()));
  const auto rows = (static_cast<std::uint32_t>(panels.size()) + columns - 1) / columns;
  Image figure{columns * width, rows * height, {}};
  figure.rgb.resize(3 * std::size_t{figure.width} * figure.height);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Image image = paint(panels[p].density, panels[p].labels, stretch);
    const std::size_t left = p % columns * width, top = p / columns * height, row_bytes = std::size_t{3} * width;
    for (std::size_t row = 0; row < height; ++row) {
      std::copy_n(&image.rgb[row * row_bytes], row_bytes, &figure.rgb[3 * ((top + row) * figure.width + left)]);
    }
  }
  return figure;
}

}  // namespace multiwalk
