// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/direct/cuda_direct_backend.hpp"
#include "run/library/direct_library.hpp"

namespace multiwalk {

std::unique_ptr<DirectBackend> try_cuda_direct_backend(int device, std::string& why) {
  return make_cuda_direct_backend(device, why);
}

}  // namespace multiwalk
