// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace multiwalk {

/// What multiplies the forces of all pairs, waves and meshes: 1. Programs that test whether wrong forces are noticed
/// link another (tests/dossier/broken_strength.cpp). Reference sums do not have it.
double pair_strength();

}  // namespace multiwalk
