// SPDX-License-Identifier: GPL-3.0-or-later
// Perceptually uniform colour maps: four of N. J. Smith, S. van der Walt and E. Firing (CC0), and greys.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace multiwalk {

enum class Colours { inferno, magma, plasma, viridis, grey };

/// Their names, in the order of Colours.
constexpr std::array<std::string_view, 5> colours_names{"inferno", "magma", "plasma", "viridis", "grey"};

/// Red, green and blue, 0 to 255, for a level between 0 (darkest) and 1 (brightest). Levels outside this range are
/// clamped, and NaN counts as 0.
std::array<double, 3> colour_of(Colours colours, double level);

}  // namespace multiwalk
