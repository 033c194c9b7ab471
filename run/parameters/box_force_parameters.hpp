// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choices for forces in a periodic box.
#pragma once

#include <cstdint>

namespace multiwalk {

/// Targets of total errors compared with Ewald summation, for any clustering; custom: the walks' own options are used.
enum class Accuracy { fast, standard, reference, custom };

/// Zero: chosen by the accuracy.
struct BoxForceParameters {
  Accuracy accuracy = Accuracy::standard;
  std::uint32_t mesh = 0;  ///< cells per side
  double split = 0;        ///< scale of the Gaussian split in cells of the mesh
  double cutoff = 0;       ///< of the pairs, in scales of the split
};

}  // namespace multiwalk
