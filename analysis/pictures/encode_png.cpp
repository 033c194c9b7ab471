// SPDX-License-Identifier: GPL-3.0-or-later
#include <png.h>

#include <string>

#include "analysis/pictures/image.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

std::vector<std::uint8_t> encode_png(const Image& image) {
  require(image.width > 0 && image.height > 0 && image.rgb.size() == std::size_t{3} * image.width * image.height,
          "encode_png: the image has " + std::to_string(image.rgb.size()) + " bytes for " +
              std::to_string(image.width) + " x " + std::to_string(image.height) + " pixels");
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = image.width;
  header.height = image.height;
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::vector<std::uint8_t> png(bytes);
  const int written = png_image_write_to_memory(&header, png.data(), &bytes, 0, image.rgb.data(), 0, nullptr);
  require(written != 0, std::string("png_image_write_to_memory: ") + header.message);
  png.resize(bytes);
  return png;
}

}  // namespace multiwalk
