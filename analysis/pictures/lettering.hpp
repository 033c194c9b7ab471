// SPDX-License-Identifier: GPL-3.0-or-later
// Captions of pictures in DejaVu Sans, set by FreeType.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace multiwalk {

/// The fraction of each pixel that is covered by ink.
struct Ink {
  int left = 0, top = 0;  ///< position of the first pixel
  int width = 0, height = 0;
  std::vector<std::uint8_t> cover;  ///< (height, width), 255: the whole pixel
};

/// The font at one size. Throws Error if FreeType fails.
class Lettering {
 public:
  /// Digits are `height` pixels high.
  explicit Lettering(double height);
  ~Lettering();
  Lettering(const Lettering&) = delete;
  Lettering& operator=(const Lettering&) = delete;

  /// Width in pixels of a line of text in UTF-8. Characters that the font lacks are drawn as '?', here and below.
  [[nodiscard]] double width(std::string_view text) const;

  /// A line of text that starts at x on the baseline y, y downwards; letters are enlarged by `rim` pixels on all sides.
  [[nodiscard]] Ink line(std::string_view text, double x, double y, double rim = 0) const;

 private:
  struct Font;
  std::unique_ptr<Font> font_;
};

}  // namespace multiwalk
