// SPDX-License-Identifier: GPL-3.0-or-later
// When a loop over bodies is shared among threads.
#pragma once

#include <cstddef>

namespace multiwalk {

/// Simple loops over fewer are over before other threads have begun.
inline constexpr std::size_t worth_threads = 16384;

}  // namespace multiwalk
