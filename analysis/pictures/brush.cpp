// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/pictures/brush.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace multiwalk {

namespace {

constexpr std::array<double, 3> white{255, 255, 255}, black{0, 0, 0};
constexpr double rim_opacity = 0.45, small_letters = 0.7, raised = 0.55;  ///< exponents: size and place over height

/// Blends a colour over a pixel; a cover of 1 hides what was there.
void blend(std::uint8_t* pixel, double cover, const std::array<double, 3>& colour) {
  for (std::size_t c = 0; c < 3; ++c) {
    pixel[c] = static_cast<std::uint8_t>(std::lround(pixel[c] + cover * (colour[c] - pixel[c])));
  }
}

void blend_ink(Image& image, const Ink& ink, const std::array<double, 3>& colour, double opacity) {
  for (int row = std::max(0, -ink.top); row < ink.height && ink.top + row < static_cast<int>(image.height); ++row) {
    for (int column = std::max(0, -ink.left); column < ink.width && ink.left + column < static_cast<int>(image.width);
         ++column) {
      const auto from =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(ink.width) + static_cast<std::size_t>(column);
      const std::size_t to =
          static_cast<std::size_t>(ink.top + row) * image.width + static_cast<std::size_t>(ink.left + column);
      blend(&image.rgb[3 * to], opacity * ink.cover[from] / 255, colour);
    }
  }
}

void blend_bar(Image& image, const Bar& bar, const std::array<double, 3>& colour, double opacity) {
  const auto inside = [](double low, double high, double pixel) {
    return std::clamp(std::min(pixel + 1, high) - std::max(pixel, low), 0.0, 1.0);
  };
  const auto clip = [](double v, std::uint32_t size) {
    return static_cast<std::uint32_t>(std::clamp(v, 0.0, double(size)));
  };
  for (std::uint32_t row = clip(std::floor(bar.top), image.height); row < clip(std::ceil(bar.bottom), image.height);
       ++row) {
    for (std::uint32_t column = clip(std::floor(bar.left), image.width);
         column < clip(std::ceil(bar.right), image.width); ++column) {
      const double cover = inside(bar.top, bar.bottom, row) * inside(bar.left, bar.right, column);
      blend(&image.rgb[3 * (std::size_t{row} * image.width + column)], opacity * cover, colour);
    }
  }
}

}  // namespace

Brush::Brush(Image& image, double height)
    : image_(image),
      height_(height),
      half_line_(std::max(0.6, 0.06 * height)),
      rim_(1.2 * half_line_ + 1),
      letters_(height),
      small_(small_letters * height) {}

double Brush::width(std::string_view text, std::string_view exponent) const {
  return letters_.width(text) + small_.width(exponent);
}

void Brush::write(std::string_view text, double x, double y, std::string_view exponent) {
  const double end = x + letters_.width(text), up = y - raised * height_;
  blend_ink(image_, letters_.line(text, x, y, rim_), black, rim_opacity);
  blend_ink(image_, small_.line(exponent, end, up, rim_), black, rim_opacity);
  blend_ink(image_, letters_.line(text, x, y), white, 1);
  blend_ink(image_, small_.line(exponent, end, up), white, 1);
}

void Brush::fill(const Bar& bar) {
  blend_bar(image_, bar, white, 1);
}

void Brush::shade(const Bar& bar) {
  blend_bar(image_, {bar.left - rim_, bar.top - rim_, bar.right + rim_, bar.bottom + rim_}, black, rim_opacity);
}

void Brush::paint(const Bar& bar, const std::array<double, 3>& colour) {
  blend_bar(image_, bar, colour, 1);
}

}  // namespace multiwalk
