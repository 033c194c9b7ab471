// SPDX-License-Identifier: GPL-3.0-or-later
// Derivatives are made one at a time on the finer mesh, in the order that needs the fewest of them at once.
#include "ic/lpt/lpt_sources.hpp"

#include "host/base/vec3.hpp"

namespace multiwalk {

namespace {

using Wave = Vec3<std::int64_t>;

double over_norm2(std::int64_t numerator, const Wave& n) {
  const std::int64_t square = norm2(n);
  return square > 0 ? static_cast<double>(numerator) / static_cast<double>(square) : 0.0;
}

/// Values of phi,ij = k_i k_j / k^2 lap phi.
void set_tidal(const PencilMesh& laplacian, int i, int j, PencilMesh& tidal) {
  tidal.set_values(laplacian, [i, j](const Wave& n) { return over_norm2(n[i] * n[j], n); });
}

/// Values of lap phi without its mean.
void set_trace(const PencilMesh& laplacian, PencilMesh& trace) {
  trace.set_values(laplacian, [](const Wave& n) { return over_norm2(norm2(n), n); });
}

void multiply(double& a, double b) {
  a *= b;
}

/// True if there is no prime factor above 7: FFTW's fast sizes.
bool transforms_fast(std::uint32_t cells) {
  for (const std::uint32_t prime : {2U, 3U, 5U, 7U}) {
    while (cells % prime == 0) cells /= prime;
  }
  return cells == 1;
}

/// Modes on as many cells as `like` has, from the values on a finer mesh.
PencilMesh coarse_modes(PencilMesh& fine, const PencilMesh& like) {
  PencilMesh coarse(like.communicator(), like.cells());
  fine.give_modes(coarse);
  return coarse;
}

/// Adds weight phi1,ij phi2,kl to `sum`; `one` and `two` have its size.
struct TidalProduct {
  const PencilMesh& delta;
  const PencilMesh& second;
  PencilMesh& one;
  PencilMesh& two;

  void add(double weight, int i, int j, int k, int l, PencilMesh& sum) {
    set_tidal(delta, i, j, one);
    set_tidal(second, k, l, two);
    one.combine(two, multiply);
    sum.combine(one, [weight](double& s, double product) { s += weight * product; });
  }
};

}  // namespace

std::uint32_t dealiased_cells(std::uint32_t cells, int fields) {
  std::uint32_t fine = (cells - 1) / 2 * (static_cast<std::uint32_t>(fields) + 1) + 1;
  while (fine % 2 != 0 || !transforms_fast(fine)) ++fine;
  return fine;
}

PencilMesh second_order_source(const PencilMesh& delta, const std::function<void(double)>& progress) {
  // = (delta^2 - sum_i phi,ii^2) / 2 - sum_{i<j} phi,ij^2: two meshes at a time.
  constexpr int transforms = 8;
  const auto tell = [&progress](int done) {
    if (progress) progress(static_cast<double>(done) / transforms);
  };
  tell(0);
  const std::uint32_t cells = dealiased_cells(delta.cells());
  PencilMesh source(delta.communicator(), cells);
  {
    PencilMesh tidal(delta.communicator(), cells);
    tidal.keep_spare();
    set_trace(delta, tidal);
    source.combine(tidal, [](double& s, double t) { s = 0.5 * t * t; });
    int done = 1;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        set_tidal(delta, i, j, tidal);
        const double weight = i == j ? 0.5 : 1.0;
        source.combine(tidal, [weight](double& s, double t) { s -= weight * t * t; });
        tell(++done);
      }
    }
  }
  return coarse_modes(source, delta);
}

PencilMesh determinant_source(const PencilMesh& delta) {
  const std::uint32_t cells = dealiased_cells(delta.cells(), 3);
  const auto mesh = [&] { return PencilMesh(delta.communicator(), cells); };
  PencilMesh source = mesh();
  {
    PencilMesh tidal = mesh(), product = mesh();
    const auto add = [](double& s, double p) { s += p; };
    const auto subtract = [](double& s, double p) { s -= p; };
    const auto multiply_square = [](double& p, double t) { p *= t * t; };
    // xx (yy zz - yz^2)
    set_tidal(delta, 1, 1, source);
    set_tidal(delta, 2, 2, tidal);
    source.combine(tidal, multiply);
    set_tidal(delta, 1, 2, tidal);
    source.combine(tidal, [](double& s, double t) { s -= t * t; });
    set_tidal(delta, 0, 0, tidal);
    source.combine(tidal, multiply);
    // + 2 yz xz xy
    set_tidal(delta, 1, 2, product);
    set_tidal(delta, 0, 2, tidal);
    product.combine(tidal, [](double& p, double t) { p *= 2 * t; });
    set_tidal(delta, 0, 1, tidal);
    product.combine(tidal, multiply);
    source.combine(product, add);
    // - zz xy^2
    set_tidal(delta, 2, 2, product);
    product.combine(tidal, multiply_square);
    source.combine(product, subtract);
    // - yy xz^2
    set_tidal(delta, 1, 1, product);
    set_tidal(delta, 0, 2, tidal);
    product.combine(tidal, multiply_square);
    source.combine(product, subtract);
  }
  return coarse_modes(source, delta);
}

PencilMesh mixed_source(const PencilMesh& delta, const PencilMesh& second) {
  // = (lap phi1 lap phi2 - sum_i phi1,ii phi2,ii) / 2 - sum_{i<j} phi1,ij phi2,ij.
  const std::uint32_t cells = dealiased_cells(delta.cells());
  const auto mesh = [&] { return PencilMesh(delta.communicator(), cells); };
  PencilMesh source = mesh();
  {
    PencilMesh one = mesh(), two = mesh();
    set_trace(delta, source);
    set_trace(second, two);
    source.combine(two, [](double& s, double t) { s *= 0.5 * t; });
    TidalProduct product{delta, second, one, two};
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) product.add(i == j ? -0.5 : -1.0, i, j, i, j, source);
    }
  }
  return coarse_modes(source, delta);
}

PencilMesh transverse_source(const PencilMesh& delta, const PencilMesh& second, int i) {
  const std::uint32_t cells = dealiased_cells(delta.cells());
  const auto mesh = [&] { return PencilMesh(delta.communicator(), cells); };
  PencilMesh source = mesh();
  {
    PencilMesh one = mesh(), two = mesh();
    TidalProduct product{delta, second, one, two};
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int l = 0; l < 3; ++l) {
      product.add(1, l, j, l, k, source);
      product.add(-1, l, k, l, j, source);
    }
  }
  return coarse_modes(source, delta);
}

}  // namespace multiwalk
