// Gradients of the LPT potentials on the mesh, read at the lattice sites.
#include "ic/displacement.hpp"

#include <numbers>
#include <optional>
#include <utility>

#include "decomposition/agree.hpp"
#include "decomposition/mode_copy.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

using Wave = Vec3<std::int64_t>;

/// numerator / |n|^2, 0 for the mean.
double over_norm2(std::int64_t numerator, const Wave& n) {
  const std::int64_t square = norm2(n);
  return square > 0 ? static_cast<double>(numerator) / static_cast<double>(square) : 0.0;
}

/// Values of phi1,ij = k_i k_j / k^2 delta.
void set_tidal(const PencilMesh& delta, int i, int j, PencilMesh& tidal) {
  copy_modes(delta, tidal, [i, j](const Wave& n) { return over_norm2(n[i] * n[j], n); });
  tidal.to_values();
}

/// Has no prime factor above 7: FFTW's fast sizes.
bool transforms_fast(std::uint32_t cells) {
  for (const std::uint32_t prime : {2U, 3U, 5U, 7U}) {
    while (cells % prime == 0) cells /= prime;
  }
  return cells == 1;
}

/// Adds the gradient along `axis` of the potential with laplacian `source` to the particles.
void add_gradient(const PencilMesh& source, int axis, double position, double momentum, const LatticeLoad& load,
                  ParticleStore& particles) {
  PencilMesh gradient(source.communicator(), load.cells);
  const double inverse_fundamental = load.box_size / (2 * std::numbers::pi);
  copy_modes(source, gradient, [axis, inverse_fundamental](const Wave& n) {
    return std::complex<double>(0, -over_norm2(n[axis], n) * inverse_fundamental);
  });
  gradient.to_values();
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < load.site.size(); ++p) {
    const Vec3<std::uint32_t> at = load.indices(load.site[p]);
    const double value = gradient.value(at.x, at.y, at.z);
    particles.position[p][axis] += position * value;
    float& velocity = particles.velocity[p][axis];
    velocity = static_cast<float>(velocity + momentum * value);
  }
}

}  // namespace

std::uint32_t dealiased_cells(std::uint32_t cells) {
  std::uint32_t fine = (cells - 1) / 2 * 3 + 1;
  while (fine % 2 != 0 || !transforms_fast(fine)) ++fine;
  return fine;
}

PencilMesh second_order_source(const PencilMesh& delta) {
  // sum_{i<j} (phi,ii phi,jj - phi,ij^2) = (delta^2 - sum_i phi,ii^2) / 2 - sum_{i<j} phi,ij^2: two meshes at a time.
  const std::uint32_t cells = dealiased_cells(delta.cells());
  PencilMesh source(delta.communicator(), cells);
  {
    PencilMesh tidal(delta.communicator(), cells);
    copy_modes(delta, tidal, [](const Wave& n) { return over_norm2(norm2(n), n); });
    tidal.to_values();
    source.combine(tidal, [](double& s, double t) { s = 0.5 * t * t; });
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        set_tidal(delta, i, j, tidal);
        const double weight = i == j ? 0.5 : 1.0;
        source.combine(tidal, [weight](double& s, double t) { s -= weight * t * t; });
      }
    }
  }
  source.to_modes();
  PencilMesh coarse(delta.communicator(), delta.cells());
  copy_modes(source, coarse, [](const Wave&) { return 1.0; });
  return coarse;
}

void displace(PencilMesh delta, const LptFactors& factors, const LatticeLoad& load, ParticleStore& particles,
              const std::function<void(double)>& progress) {
  require(delta.cells() == load.cells, "the load's lattice is not the mesh");
  const bool second = factors.position2 != 0 || factors.momentum2 != 0;
  std::optional<PencilMesh> source;
  if (second) source = second_order_source(delta);

  together(delta.communicator(), [&] { particles.resize(load.site.size()); });
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < load.site.size(); ++p) {
    particles.position[p] = load.position(load.site[p]);
    particles.velocity[p] = {};
  }
  for (int axis = 0; axis < 3; ++axis) {
    add_gradient(delta, axis, -factors.position1, -factors.momentum1, load, particles);
    if (source) add_gradient(*source, axis, factors.position2, factors.momentum2, load, particles);
    if (progress) progress((axis + 1) / 3.0);
  }
}

}  // namespace multiwalk
