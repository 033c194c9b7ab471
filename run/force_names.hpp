// SPDX-License-Identifier: GPL-3.0-or-later
// Words for what a user may choose about forces: in parameter files, on the command line and in figures.
#pragma once

#include <array>
#include <string_view>

namespace multiwalk {

/// In the order of Mac.
inline constexpr std::array<std::string_view, 4> mac_names{"bh86", "barnes90", "offset", "relative"};
/// In the order of MultipoleOrder.
inline constexpr std::array<std::string_view, 2> multipole_names{"monopole", "quadrupole"};
/// In the order of Accuracy.
inline constexpr std::array<std::string_view, 4> accuracy_names{"fast", "standard", "reference", "custom"};
/// In the order of LongRange.
inline constexpr std::array<std::string_view, 2> long_range_names{"mesh", "modes"};
/// In the order of Accumulation.
inline constexpr std::array<std::string_view, 5> accumulation_names{"plain", "chamomile", "compensated", "mixed",
                                                                    "full"};
/// In the order of Splitting.
inline constexpr std::array<std::string_view, 2> splitting_names{"single", "hi_lo"};

}  // namespace multiwalk
