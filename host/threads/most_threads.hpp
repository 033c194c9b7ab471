// SPDX-License-Identifier: GPL-3.0-or-later
// How many threads a process may ask for.
#pragma once

#include <omp.h>

#include <algorithm>

namespace multiwalk {

/// Four per logical core of this machine, but at least 16: more threads would only wait for each other, or cannot be
/// created.
inline int most_threads() {
  return std::max(16, 4 * omp_get_num_procs());
}

}  // namespace multiwalk
