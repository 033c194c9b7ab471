// SPDX-License-Identifier: GPL-3.0-or-later
// The ways in which the particles of a run move, wherever they are.
#pragma once

#include <variant>

#include "host/particles/rung.hpp"

namespace multiwalk {

/// velocity += kick (acceleration + background x), then position += drift velocity.
struct KickAndDrift {
  double kick = 0, background = 0, drift = 0;
};

/// position += factor velocity.
struct DriftAlone {
  double factor = 0;
};

/// Positions into the periodic box, 0 <= x < side.
struct WrapIntoBox {
  double side = 0;
};

/// velocity += factor[rung] (acceleration - long_range + background x) for particles of rung `least` and deeper.
struct KickRungs {
  PerRung<double> factor{};
  double background = 0;
  int least = 0;
};

/// velocity += factor long_range, of particles with rungs.
struct KickLongRange {
  double factor = 0;
};

using Motion = std::variant<KickAndDrift, DriftAlone, WrapIntoBox, KickRungs, KickLongRange>;

}  // namespace multiwalk
