// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a direct summation, found from its bodies.
#pragma once

#include "host/direct/direct_backend.hpp"
#include "host/simd/direct_frame.hpp"

namespace multiwalk {

/// Centred on the mean of the sources, or of sources and targets if targets reach 1e9 times as far. `full` is set if
///  - some bodies are closer to each other than 1e-8 of the extent (single: one in 256 closer than 2e-5), unless they
///    are at exactly the same place or the softening is longer. A few bodies are all compared with each other; many are
///    compared within cells, in a sample of 256 to 4096 sources and targets that grows with the number of pairs; or
///  - some velocities in a sample of 64 are as close to each other, compared with the fastest; or
///  - extent, speeds or masses lie outside 1e-90 to 1e90.
DirectFrame direct_frame(const DirectTask& task);
/// Centred on the mean of both blocks.
DirectFrame direct_frame(const DirectCouple& couple);

}  // namespace multiwalk
