// SPDX-License-Identifier: GPL-3.0-or-later
// Launches over the arrays of one evaluation that lie on a device.
#pragma once

#include "device/base/resident_arrays.cuh"
#include "device/walk/walk_kernel.cuh"

namespace multiwalk {

/// A launch that reads these arrays and evaluates this law; `shared`: the targets are the sources.
WalkLaunch walk_launch(const ResidentArrays& arrays, const PairLaw& law, bool shared, bool own_tree);

/// Where the launch writes its results, in the order of the store.
StoreResults results_in(ResidentArrays& arrays, bool accumulate);

}  // namespace multiwalk
