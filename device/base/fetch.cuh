// SPDX-License-Identifier: GPL-3.0-or-later
// One value from a device.
#pragma once

#include "device/base/stream.cuh"

namespace multiwalk {

/// Waits for the stream.
template <class T>
T fetch(const T* from, const Stream& stream) {
  T value{};
  check_cuda(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  return value;
}

}  // namespace multiwalk
