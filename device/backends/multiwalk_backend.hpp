// SPDX-License-Identifier: GPL-3.0-or-later
// Walks evaluated on NVIDIA GPUs: the multiple-walk method (Hamada et al. 2009) behind ForceBackend.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "device/base/devices.hpp"
#include "host/force/force_backend.hpp"

namespace multiwalk {

struct CudaOptions {
  std::vector<int> devices;                          ///< CUDA device numbers; empty: every device that works
  std::size_t memory_limit = 0;                      ///< bytes to hold on each device; 0: what is free there
  std::size_t batch_entries = std::size_t{1} << 18;  ///< list entries of a batch
  bool device_walks = false;  ///< the device walks through the trees it grows, where it is the only one
};

/// A back end on these devices; lanes are assigned to them in turn. Null if none works, and `why` is set. Throws
/// InputError if a device is asked for by a number that does not exist or does not work. BackendTimes of the back end:
/// `device` is the time in which a device evaluated at least one batch, summed over devices, so that device / (wall
/// time x devices) is the busy fraction; transfer sums copies; wait sums lanes. Large particle arrays made from then on
/// are page-locked (pinned_particles.hpp): sources and targets of begin, and the moments that begin_grown is given, are
/// read until collect, so they may not change before it; a store, until grow returns. begin throws InputError when a
/// device cannot hold the particles and nodes.
std::unique_ptr<ForceBackend> make_cuda_backend(const CudaOptions& options, std::string& why);

}  // namespace multiwalk
