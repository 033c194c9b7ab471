// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/fits_image.hpp"

#include <array>

namespace multiwalk {

void write_fits_image(const std::string& path, std::span<const double> pixels, std::uint32_t columns,
                      const std::vector<FitsKey>& keys) {
  int status = 0;
  fitsfile* const file = create_fits(path);
  std::array<long, 2> extent{columns, static_cast<long>(pixels.size() / columns)};
  fits_create_img(file, DOUBLE_IMG, 2, extent.data(), &status);
  write_fits_keys(file, keys, status);
  fits_write_img(file, TDOUBLE, 1, static_cast<LONGLONG>(pixels.size()), const_cast<double*>(pixels.data()), &status);
  close_fits(file, status, path);
}

}  // namespace multiwalk
