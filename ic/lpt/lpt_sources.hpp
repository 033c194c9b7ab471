// SPDX-License-Identifier: GPL-3.0-or-later
// Sources of the Lagrangian potentials beyond the first order: products of second derivatives, free of aliases.
#pragma once

#include <cstdint>
#include <functional>

#include "decomposition/mesh/pencil_mesh.hpp"

namespace multiwalk {

/// Cells per side of a finer mesh on which products of `fields` modes below the Nyquist wavenumber of `cells` do not
/// alias onto any of those modes: about 3/2 as many for two (Orszag 1971), twice as many for three; fast to transform.
std::uint32_t dealiased_cells(std::uint32_t cells, int fields = 2);

/// Modes of lap phi2 = sum_{i<j} (phi1,ii phi1,jj - phi1,ij^2) from those of delta = lap phi1. Memory: two finer
/// meshes. `progress(fraction)` is called during the computation; it may be null. Collective, like all functions here.
PencilMesh second_order_source(const PencilMesh& delta, const std::function<void(double)>& progress = nullptr);

/// Modes of lap phi3a = det phi1,ij (Bouchet et al. 1995). Memory: three meshes twice as fine.
PencilMesh determinant_source(const PencilMesh& delta);

/// Modes of lap phi3b = sum_{i<j} (phi1,ii phi2,jj + phi1,jj phi2,ii - 2 phi1,ij phi2,ij) / 2 from those of delta and
/// lap phi2. Memory: three finer meshes.
PencilMesh mixed_source(const PencilMesh& delta, const PencilMesh& second);

/// Modes of (lap A)_i = eps_ijk phi1,lj phi2,lk, whose curl is the transverse part of the third order (Catelan 1995).
/// Memory: three finer meshes.
PencilMesh transverse_source(const PencilMesh& delta, const PencilMesh& second, int i);

}  // namespace multiwalk
