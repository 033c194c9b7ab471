// The same waves on a finer or coarser mesh.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <span>

#include "decomposition/pencil_mesh.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// A run of modes along z to be changed in place: act(n_x, n_y, first n_z, modes).
using ModeRun = std::function<void(std::int64_t, std::int64_t, std::int64_t, std::span<std::complex<double>>)>;

/// Copies the modes of `from` below the Nyquist planes of both meshes, changed by `act` on their way, to `to`, whose
/// other modes become zero. Both live on the same communicator. Collective; needs some MiB.
void copy_mode_runs(const PencilMesh& from, PencilMesh& to, const ModeRun& act);

/// As above, times factor(n).
template <class Factor>
void copy_modes(const PencilMesh& from, PencilMesh& to, Factor factor) {
  copy_mode_runs(from, to, [&](std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::complex<double>> run) {
    for (std::complex<double>& mode : run) mode *= factor(Vec3<std::int64_t>{x, y, z++});
  });
}

}  // namespace multiwalk
