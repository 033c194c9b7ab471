// SPDX-License-Identifier: GPL-3.0-or-later
// How many thread blocks a launch needs.
#pragma once

#include <cstddef>

namespace multiwalk {

/// Blocks of `threads` for `count` threads.
inline unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

}  // namespace multiwalk
