// Gradients of the LPT potentials on the mesh, read at the lattice sites.
#include "ic/displacement.hpp"

#include <array>
#include <numbers>
#include <optional>
#include <utility>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

using Wave = std::array<std::int64_t, 3>;

double norm2(const Wave& n) {
  return static_cast<double>(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/// Copies the modes of `from` below its Nyquist planes, times `factor(n)`, onto the finer or coarser mesh `to`.
template <class Factor>
void copy_modes(const FourierMesh& from, FourierMesh& to, Factor factor) {
  to.for_each_mode([&](std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, std::complex<double>& mode) {
    const bool both = from.resolves(n_x) && from.resolves(n_y) && from.resolves(n_z) && to.resolves(n_x) &&
                      to.resolves(n_y) && to.resolves(n_z);
    mode = 0;
    if (both) {
      mode = from.mode(from.index(n_x), from.index(n_y), static_cast<std::uint32_t>(n_z)) * factor(Wave{n_x, n_y, n_z});
    }
  });
}

/// Values of phi1,ij = k_i k_j / k^2 delta.
void set_tidal(const FourierMesh& delta, std::size_t i, std::size_t j, FourierMesh& tidal) {
  copy_modes(delta, tidal,
             [i, j](const Wave& n) { return norm2(n) > 0 ? static_cast<double>(n[i] * n[j]) / norm2(n) : 0.0; });
  tidal.to_values();
}

/// Even number of cells, so that products of two modes below the Nyquist wavenumber alias onto none of these.
std::uint32_t dealiased_cells(std::uint32_t cells) {
  return (3 * cells / 2 + 2) / 2 * 2;
}

/// Adds the gradient along `axis` of the potential with laplacian `source` to the particles.
void add_gradient(const FourierMesh& source, std::size_t axis, double position, double momentum,
                  const LatticeLoad& load, ParticleStore& particles) {
  FourierMesh gradient(load.cells);
  const double inverse_fundamental = load.box_size / (2 * std::numbers::pi);
  copy_modes(source, gradient, [axis, inverse_fundamental](const Wave& n) {
    const double length = norm2(n) > 0 ? static_cast<double>(n[axis]) / norm2(n) * inverse_fundamental : 0.0;
    return std::complex<double>(0, -length);
  });
  gradient.to_values();
  const int component = static_cast<int>(axis);
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < load.site.size(); ++p) {
    const Vec3<std::uint32_t> at = load.indices(load.site[p]);
    const double value = gradient.value(at.x, at.y, at.z);
    particles.position[p][component] += position * value;
    float& velocity = particles.velocity[p][component];
    velocity = static_cast<float>(velocity + momentum * value);
  }
}

}  // namespace

FourierMesh second_order_source(const FourierMesh& delta) {
  // sum_{i<j} (phi,ii phi,jj - phi,ij^2) = (delta^2 - sum_i phi,ii^2) / 2 - sum_{i<j} phi,ij^2: two meshes at a time.
  const std::uint32_t cells = dealiased_cells(delta.cells());
  FourierMesh source(cells);
  {
    FourierMesh tidal(cells);
    copy_modes(delta, tidal, [](const Wave& n) { return norm2(n) > 0 ? 1.0 : 0.0; });
    tidal.to_values();
    source.combine(tidal, [](double& s, double t) { s = 0.5 * t * t; });
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i; j < 3; ++j) {
        set_tidal(delta, i, j, tidal);
        const double weight = i == j ? 0.5 : 1.0;
        source.combine(tidal, [weight](double& s, double t) { s -= weight * t * t; });
      }
    }
  }
  source.to_modes();
  FourierMesh coarse(delta.cells());
  copy_modes(source, coarse, [](const Wave&) { return 1.0; });
  return coarse;
}

void displace(FourierMesh delta, const LptFactors& factors, const LatticeLoad& load, ParticleStore& particles,
              const std::function<void(double)>& progress) {
  require(delta.cells() == load.cells, "the load's lattice is not the mesh");
  const bool second = factors.position2 != 0 || factors.momentum2 != 0;
  std::optional<FourierMesh> source;
  if (second) source = second_order_source(delta);

  particles.resize(load.site.size());
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < load.site.size(); ++p) {
    particles.position[p] = load.position(load.site[p]);
    particles.velocity[p] = {};
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    add_gradient(delta, axis, -factors.position1, -factors.momentum1, load, particles);
    if (source) add_gradient(*source, axis, factors.position2, factors.momentum2, load, particles);
    if (progress) progress((static_cast<double>(axis) + 1) / 3);
  }
}

}  // namespace multiwalk
