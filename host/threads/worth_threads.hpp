// SPDX-License-Identifier: GPL-3.0-or-later
// When it pays to share a loop over bodies among threads.
#pragma once

#include <cstddef>

namespace multiwalk {

/// Simple loops over fewer bodies end before other threads have started.
inline constexpr std::size_t worth_threads = 16384;

}  // namespace multiwalk
