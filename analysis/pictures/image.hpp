// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace multiwalk {

/// 8-bit RGB image.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< (height, width, 3)
};

/// PNG bytes. Throws Error if the image is empty or libpng fails.
std::vector<std::uint8_t> encode_png(const Image& image);

}  // namespace multiwalk
