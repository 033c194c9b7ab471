// SPDX-License-Identifier: GPL-3.0-or-later
// Conventional numbers of floating-point operations (Warren et al. 1997; Nitadori & Makino 2008 with the jerk),
// independent of what the processor does.
#pragma once

namespace multiwalk {

/// For one pair: acceleration and potential, or also the jerk.
constexpr int operations_of_pair(bool jerk) {
  return jerk ? 57 : 38;
}

}  // namespace multiwalk
