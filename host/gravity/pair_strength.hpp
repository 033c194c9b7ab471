// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace multiwalk {

/// The factor by which every back end multiplies the forces of pairs, waves and meshes; 1 in all programs but
/// multiwalk_broken, which links another (tests/dossier/broken_strength.cpp) to see whether tests notice wrong forces.
/// Reference sums do not use it.
double pair_strength();

}  // namespace multiwalk
