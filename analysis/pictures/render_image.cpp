// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis/pictures/colour_map.hpp"
#include "analysis/pictures/projection.hpp"
#include "analysis/pictures/stroke_font.hpp"
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

/// Blends white and a dark rim over the image along strokes of the given half width.
class Pen {
 public:
  Pen(Image& image, double half_width) : image_(image), half_width_(half_width) {}

  void draw(const std::vector<Stroke>& strokes) const {
    for (const Stroke& stroke : strokes) paint(stroke, 2.2 * half_width_ + 1, 0, 0.45);
    for (const Stroke& stroke : strokes) paint(stroke, half_width_, 255, 1);
  }

 private:
  static double distance(const Stroke& s, double x, double y) {
    const double dx = s.x1 - s.x0, dy = s.y1 - s.y0, length2 = dx * dx + dy * dy;
    const double along = length2 > 0 ? std::clamp(((x - s.x0) * dx + (y - s.y0) * dy) / length2, 0.0, 1.0) : 0;
    return std::hypot(x - s.x0 - along * dx, y - s.y0 - along * dy);
  }

  void paint(const Stroke& s, double half_width, double shade, double opacity) const {
    const double margin = half_width + 1;
    const auto clip = [](double v, std::uint32_t size) {
      return static_cast<std::uint32_t>(std::clamp(v, 0.0, double(size)));
    };
    const std::uint32_t first_row = clip(std::floor(std::min(s.y0, s.y1) - margin), image_.height);
    const std::uint32_t last_row = clip(std::ceil(std::max(s.y0, s.y1) + margin), image_.height);
    const std::uint32_t first_column = clip(std::floor(std::min(s.x0, s.x1) - margin), image_.width);
    const std::uint32_t last_column = clip(std::ceil(std::max(s.x0, s.x1) + margin), image_.width);
    for (std::uint32_t row = first_row; row < last_row; ++row) {
      for (std::uint32_t column = first_column; column < last_column; ++column) {
        const double cover = std::clamp(half_width + 0.5 - distance(s, column + 0.5, row + 0.5), 0.0, 1.0) * opacity;
        std::uint8_t* pixel = &image_.rgb[3 * (std::size_t{row} * image_.width + column)];
        for (int c = 0; c < 3; ++c)
          pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + cover * (shade - pixel[c])));
      }
    }
  }

  Image& image_;
  double half_width_;
};

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void draw_labels(Image& image, double extent, const ImageLabels& labels) {
  const double height = std::max(9.0, 0.021 * image.width), margin = 1.4 * height;
  const Pen pen(image, std::max(0.6, 0.06 * height));
  pen.draw(text_strokes(labels.caption, margin, margin + height, height));
  const double length = round_length(extent / 4);
  if (!(length > 0)) return;
  const double bar = length / extent * image.width, y = image.height - margin;
  const double right = image.width - margin, left = right - bar, tick = 0.35 * height;
  pen.draw({{left, y, right, y}, {left, y - tick, left, y + tick}, {right, y - tick, right, y + tick}});
  const std::string text = number(length) + " " + labels.length_unit;
  pen.draw(text_strokes(text, 0.5 * (left + right - text_width(text, height)), y - 0.9 * height, height));
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
