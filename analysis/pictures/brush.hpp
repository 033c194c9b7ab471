// SPDX-License-Identifier: GPL-3.0-or-later
// Draws white text and bars with a dark rim over an image.
#pragma once

#include <array>
#include <string_view>

#include "analysis/pictures/image.hpp"
#include "analysis/pictures/lettering.hpp"

namespace multiwalk {

/// A rectangle in pixels, y downwards.
struct Bar {
  double left, top, right, bottom;
};

class Brush {
 public:
  /// Digits are `height` pixels high, and 0.7 times as high in exponents.
  Brush(Image& image, double height);

  [[nodiscard]] double height() const { return height_; }
  [[nodiscard]] double line_width() const { return 2 * half_line_; }
  /// Width in pixels of `text` with `exponent` raised behind it.
  [[nodiscard]] double width(std::string_view text, std::string_view exponent = {}) const;
  /// Writes `text`, starting at x on the baseline y, with `exponent` raised behind it.
  void write(std::string_view text, double x, double y, std::string_view exponent = {});
  /// Fills a bar with white.
  void fill(const Bar& bar);
  /// Draws the dark rim around a bar that fill() draws.
  void shade(const Bar& bar);
  /// Fills a bar with an opaque colour, with soft edges.
  void paint(const Bar& bar, const std::array<double, 3>& colour);

 private:
  Image& image_;
  double height_, half_line_, rim_;
  Lettering letters_, small_;
};

}  // namespace multiwalk
