// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU back end: each walking thread packs and evaluates its own walks at once, while their lists are in cache.
#pragma once

#include <memory>
#include <string_view>

#include "host/force/force_backend.hpp"

namespace multiwalk {

/// `instruction_set`: empty for the best of this machine.
std::unique_ptr<ForceBackend> make_simd_backend(std::string_view instruction_set = "");

}  // namespace multiwalk
