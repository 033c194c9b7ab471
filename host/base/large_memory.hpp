// SPDX-License-Identifier: GPL-3.0-or-later
// Memory for arrays of many MiB that are read and written by strides.
#pragma once

#include <cstddef>

namespace multiwalk {

/// Zeros that the calling thread's team touches first, in huge pages if the system has them; to be given to std::free.
/// Null if there is not so much.
void* allocate_touched(std::size_t bytes);

}  // namespace multiwalk
