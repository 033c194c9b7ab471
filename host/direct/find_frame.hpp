// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a direct summation, found from its bodies.
#pragma once

#include "host/direct/direct_backend.hpp"
#include "host/gravity/direct_frame.hpp"

namespace multiwalk {

/// Centred on the mean of the sources. `full` is set by comparing the extent with the softening and the spacing of the
/// bodies: the smallest distance if there are few, otherwise the interquartile range of a sample over the cube root of
/// their number.
DirectFrame direct_frame(const DirectTask& task);
/// Centred on the mean of both blocks.
DirectFrame direct_frame(const DirectCouple& couple);

}  // namespace multiwalk
