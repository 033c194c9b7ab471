// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces direct_cuda.cpp in a library built without CUDA.
#include "run/library/direct_library.hpp"

namespace multiwalk {

std::unique_ptr<DirectBackend> try_cuda_direct_backend(int, std::string& why) {
  why = "this library was built without it";
  return nullptr;
}

}  // namespace multiwalk
