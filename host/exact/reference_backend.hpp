// SPDX-License-Identifier: GPL-3.0-or-later
// Back ends in scalar double precision, the references for all others.
#pragma once

#include <memory>

#include "host/force/force_backend.hpp"

namespace multiwalk {

/// Evaluates the same walks in scalar double precision, as the reference for every other back end. With `all_pairs` it
/// ignores the lists and every walk sums over all particles ("direct").
std::unique_ptr<ForceBackend> make_reference_backend(bool all_pairs);

/// Sums over all particles of a periodic box and their images, tabulated (host/exact/ewald.hpp). Not for a vacuum.
std::unique_ptr<ForceBackend> make_ewald_backend();

}  // namespace multiwalk
