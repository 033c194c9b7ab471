// SPDX-License-Identifier: GPL-3.0-or-later
// The CPU back end: each walking thread packs and evaluates its own walks at once, while their lists are in cache.
#pragma once

#include <memory>
#include <string_view>

#include "host/force/force_backend.hpp"

namespace multiwalk {

/// `instruction_set`: empty for the best of this machine.
std::unique_ptr<ForceBackend> make_simd_backend(std::string_view instruction_set = "");

/// Evaluates the same walks in scalar double precision, as the reference for every other back end. With `all_pairs` it
/// ignores the lists and every walk sums over all particles ("direct").
std::unique_ptr<ForceBackend> make_reference_backend(bool all_pairs);

/// Sums over all particles of a periodic box and their images, tabulated (host/force/ewald.hpp). Not for a vacuum.
std::unique_ptr<ForceBackend> make_ewald_backend();

}  // namespace multiwalk
