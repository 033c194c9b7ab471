// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace multiwalk {

/// The wavenumber n of the mode at `index` along an axis, in units of the fundamental one: -cells / 2 < n <= cells / 2.
__device__ inline int wavenumber(std::uint32_t index, std::uint32_t cells) {
  return 2 * index > cells ? static_cast<int>(index) - static_cast<int>(cells) : static_cast<int>(index);
}

}  // namespace multiwalk
