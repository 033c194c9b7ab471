// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation on one CUDA device.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// Fewer bodies do not fill a device when each pair is evaluated once for both.
inline constexpr std::size_t least_mutual_bodies = 16384;

/// On the device of this number; -1: the first that works. Null, and the reason in `why`, if it does not work; else
/// `why` says what was found. From `mutual_from` bodies on, without jerks from a quarter more, each pair among
/// them is evaluated once for both.
std::unique_ptr<DirectBackend> make_cuda_direct_backend(int device, std::string& why,
                                                        std::size_t mutual_from = least_mutual_bodies);

}  // namespace multiwalk
