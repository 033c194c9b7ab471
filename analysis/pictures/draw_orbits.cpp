// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/draw_orbits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace multiwalk {

namespace {

/// On a dark ground; apart in lightness and hue, also for the colour-blind.
constexpr std::array<std::array<double, 3>, 7> body_colours{{{255, 176, 64},
                                                             {96, 190, 255},
                                                             {255, 110, 130},
                                                             {120, 220, 150},
                                                             {240, 228, 90},
                                                             {200, 150, 255},
                                                             {235, 235, 235}}};
constexpr std::array<double, 3> sky{8, 8, 16};
constexpr double faintest = 0.25;  ///< cover of the oldest points

struct Point {
  double x, y;  ///< pixels, y downwards
};

/// How much of each pixel the lines and the disc of one body cover.
class Cover {
 public:
  explicit Cover(std::uint32_t pixels) : pixels_(pixels), cover_(std::size_t{pixels} * pixels) {}

  /// A segment with round ends, `radius` pixels thick on either side.
  void line(Point a, Point b, double radius, double strength) {
    const double reach = radius + 1, along_x = b.x - a.x, along_y = b.y - a.y;
    const double length2 = along_x * along_x + along_y * along_y;
    for (int row = first(std::min(a.y, b.y) - reach); row < end(std::max(a.y, b.y) + reach); ++row) {
      for (int column = first(std::min(a.x, b.x) - reach); column < end(std::max(a.x, b.x) + reach); ++column) {
        const double x = column + 0.5 - a.x, y = row + 0.5 - a.y;
        const double part = length2 > 0 ? std::clamp((x * along_x + y * along_y) / length2, 0.0, 1.0) : 0;
        const double distance = std::hypot(x - part * along_x, y - part * along_y);
        const auto here = static_cast<float>(strength * std::clamp(radius + 0.5 - distance, 0.0, 1.0));
        float& cover = cover_[static_cast<std::size_t>(row) * pixels_ + static_cast<std::size_t>(column)];
        cover = std::max(cover, here);
      }
    }
  }

  void blend_into(Image& image, const std::array<double, 3>& colour) const {
    for (std::size_t i = 0; i < cover_.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        std::uint8_t& channel = image.rgb[3 * i + c];
        channel = static_cast<std::uint8_t>(std::lround(channel + cover_[i] * (colour[c] - channel)));
      }
    }
  }

 private:
  [[nodiscard]] int first(double place) const {
    return static_cast<int>(std::clamp(std::floor(place), 0.0, double(pixels_)));
  }
  [[nodiscard]] int end(double place) const {
    return static_cast<int>(std::clamp(std::ceil(place), 0.0, double(pixels_)));
  }

  std::uint32_t pixels_;
  std::vector<float> cover_;  ///< (pixels, pixels), 1: all of the pixel
};

/// Twice the farthest coordinate of a trail from the centre, with a margin.
double width_of(std::span<const Trail> trails, Vec3d centre, int axis) {
  double reach = 0;
  for (const Trail& trail : trails) {
    for (const Vec3d& point : trail.point) {
      const Vec3d from = point - centre;
      for (int other = 0; other < 3; ++other) {
        if (other != axis) reach = std::max(reach, std::fabs(from[other]));
      }
    }
  }
  return reach > 0 && std::isfinite(reach) ? 2.3 * reach : 1;
}

}  // namespace

Image draw_orbits(std::span<const Trail> trails, const OrbitView& view, const ImageLabels& labels,
                  const ImageStyle& style) {
  const std::uint32_t pixels = view.pixels;
  Image image{pixels, pixels, std::vector<std::uint8_t>(std::size_t{3} * pixels * pixels)};
  for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = static_cast<std::uint8_t>(sky[i % 3]);
  const Vec3d centre = view.centre.value_or(Vec3d{0, 0, 0});
  const double width = view.width > 0 ? view.width : width_of(trails, centre, view.axis);
  const int across = (view.axis + 1) % 3, up = (view.axis + 2) % 3;
  const auto place = [&](const Vec3d& point) {
    const Vec3d from = point - centre;
    return Point{(0.5 + from[across] / width) * pixels, (0.5 - from[up] / width) * pixels};
  };
  const double radius = std::max(0.7, 0.0011 * pixels);
  for (std::size_t t = 0; t < trails.size(); ++t) {
    const std::vector<Vec3d>& point = trails[t].point;
    Cover cover(pixels);
    for (std::size_t i = 1; i < point.size(); ++i) {
      const double age = 1 - static_cast<double>(i) / static_cast<double>(point.size());
      cover.line(place(point[i - 1]), place(point[i]), radius, 1 - age * (1 - faintest));
    }
    cover.line(place(point.back()), place(point.back()), 5 * radius, 1);
    cover.blend_into(image, body_colours[t % body_colours.size()]);
  }
  ImageStyle written = style;
  written.lettered = std::min(style.lettered, Lettered::scale);
  draw_labels(image, width, labels, written);
  return image;
}

}  // namespace multiwalk
