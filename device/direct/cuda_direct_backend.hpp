// Direct summation on one CUDA device.
#pragma once

#include <memory>
#include <string>

#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// On the device of this number; -1: the first that works. Null, and the reason in `why`, if it does not work; else
/// `why` says what was found.
std::unique_ptr<DirectBackend> make_cuda_direct_backend(int device, std::string& why);

}  // namespace multiwalk
