// SPDX-License-Identifier: GPL-3.0-or-later
// Halos as columns for a structured numpy array.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

#include "analysis/halos/halo.hpp"

namespace multiwalk {

/// ((name, unit, array), ...): arrays of (halos) or (halos, 3) elements; masses in Msun/h, other units as in
/// analysis/halos/halo.hpp.
nanobind::tuple halo_table(std::span<const Halo> halos);

}  // namespace multiwalk
