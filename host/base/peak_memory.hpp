// SPDX-License-Identifier: GPL-3.0-or-later
// The largest amount of memory that this process has held.
#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace multiwalk {

/// Bytes of resident memory at peak (getrusage; kilobytes on Linux).
inline std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace multiwalk
