// SPDX-License-Identifier: GPL-3.0-or-later
// The perceptually uniform colour map "inferno" of N. J. Smith and S. van der Walt (CC0).
#pragma once

#include <array>
#include <cstdint>

namespace multiwalk {

/// Red, green and blue, 0 to 255, of a level between 0 (nearly black) and 1 (pale yellow); levels beyond are clamped,
/// NaN is 0.
std::array<double, 3> inferno(double level);

}  // namespace multiwalk
