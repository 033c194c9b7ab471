// SPDX-License-Identifier: GPL-3.0-or-later
// A FITS file with one image, written by CFITSIO.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/sky/fits_table.hpp"

namespace multiwalk {

/// `pixels`: (rows x columns), stored in double precision; columns are FITS's first axis. One of this name
/// is replaced.
/// Throws Error with CFITSIO's message.
void write_fits_image(const std::string& path, std::span<const double> pixels, std::uint32_t columns,
                      const std::vector<FitsKey>& keys);

}  // namespace multiwalk
