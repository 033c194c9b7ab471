// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/fits_image.hpp"

#include <array>

namespace multiwalk {

void write_fits_image(const std::string& path, std::span<const double> pixels, std::uint32_t columns,
                      const std::vector<FitsKey>& keys) {
  fitsfile* file = nullptr;
  int status = 0;
  fits_create_diskfile(&file, path.c_str(), &status);
  require_fits(status, "create", path);
  std::array<long, 2> extent{columns, static_cast<long>(pixels.size() / columns)};
  fits_create_img(file, DOUBLE_IMG, 2, extent.data(), &status);
  write_fits_keys(file, keys, status);
  fits_write_img(file, TDOUBLE, 1, static_cast<LONGLONG>(pixels.size()), const_cast<double*>(pixels.data()), &status);
  fits_close_file(file, &status);
  require_fits(status, "write", path);
}

}  // namespace multiwalk
