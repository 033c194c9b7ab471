// SPDX-License-Identifier: GPL-3.0-or-later
// What a user may choose about the forces of a periodic box.
#pragma once

#include <cstdint>

namespace multiwalk {

/// Aims at total errors against Ewald summation, whatever the clustering; custom: the walks' own options are taken.
enum class Accuracy { fast, standard, reference, custom };

/// Of split forces. mesh: TreePM; modes: the widest split that fits, and the few modes it leaves summed directly.
enum class LongRange { mesh, modes };

/// Zeros are chosen by the accuracy.
struct BoxForceParameters {
  Accuracy accuracy = Accuracy::standard;
  std::uint32_t mesh = 0;  ///< cells a side
  double split = 0;        ///< scale of the Gaussian split in cells of the mesh
  double cutoff = 0;       ///< of the pairs, in scales of the split
  LongRange long_range = LongRange::mesh;
};

}  // namespace multiwalk
