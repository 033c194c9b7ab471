// How near a walk may come to a cell without opening it.
#pragma once

#include <cstdint>
#include <vector>

#include "host/force/gravity_options.hpp"
#include "host/tree/octree.hpp"

namespace multiwalk {

/// Of node `n` for moments and a particle count that may be more than the tree's own; infinite where the cell is always
/// opened.
float opening_radius(const TreeView& tree, std::uint32_t n, const Multipole& moments, std::uint64_t count,
                     const GravityOptions& options);

/// Of every node (nodes). Replaces `radius`, using its memory again. An owner may change entries afterwards: negative,
/// an accepted cell is not listed, because another tree lists it; 0, accepted everywhere.
void make_opening_radii(const TreeView& tree, const GravityOptions& options, std::vector<float>& radius);

}  // namespace multiwalk
