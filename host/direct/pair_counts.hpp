// SPDX-License-Identifier: GPL-3.0-or-later
// Floating-point operations by convention (Warren et al. 1997; Nitadori & Makino 2008 with the jerk), whatever the
// processor really does.
#pragma once

namespace multiwalk {

/// Of one pair: acceleration and potential, or with the jerk.
constexpr int operations_of_pair(bool jerk) {
  return jerk ? 57 : 38;
}

}  // namespace multiwalk
