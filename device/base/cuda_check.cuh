// SPDX-License-Identifier: GPL-3.0-or-later
// Every CUDA call is checked: a failure becomes an Error with the call, the library's text and file:line.
#pragma once

#include <cuda_runtime.h>

#include <source_location>
#include <string>

#include "host/base/error.hpp"

namespace multiwalk {

/// Throws Error if a CUDA call did not succeed.
inline void check_cuda(cudaError_t status, const char* call,
                       const std::source_location& where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  throw Error(std::string(call) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")", where);
}

}  // namespace multiwalk
