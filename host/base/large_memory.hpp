// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for arrays of many MiB that are read and written with strides.
#pragma once

#include <cstddef>

namespace multiwalk {

/// Zeros, in huge pages if the system has them; the threads of the caller's team touch them first. Release with
/// std::free. Null if there is not enough memory.
void* allocate_touched(std::size_t bytes);

}  // namespace multiwalk
