// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a direct summation, found from its bodies.
#pragma once

#include "host/direct/direct_backend.hpp"
#include "host/gravity/direct_frame.hpp"

namespace multiwalk {

/// About the mean of the sources, or of sources and targets where targets reach 1e9 times as far. `full` if
///  - some bodies are closer to each other than 1e-8 of the extent (single: one in 256 closer than 2e-5), unless they
///    are at the very same place or the softening is longer. Few bodies are compared all with all, many in cells: a
///    sample of 256 to 4096 sources and targets, larger where more pairs are summed; or
///  - some velocities of a sample of 64 are as close, compared with the fastest; or
///  - extent, speeds or masses lie beyond 1e-90 to 1e90.
DirectFrame direct_frame(const DirectTask& task);
/// About the mean of both blocks.
DirectFrame direct_frame(const DirectCouple& couple);

}  // namespace multiwalk
