// SPDX-License-Identifier: GPL-3.0-or-later
// Gradients of the LPT potentials on the mesh, interpolated to the load's particles.
#include "ic/lpt/displacement.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "decomposition/mesh/density_modes.hpp"
#include "decomposition/mesh/mesh_reading.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/large_memory.hpp"
#include "ic/lpt/lpt_sources.hpp"

namespace multiwalk {

namespace {

using Wave = Vec3<std::int64_t>;

using PartProgress = std::function<void(const std::string&, double)>;

constexpr const char* displacements[] = {"first-order displacements", "second-order displacements",
                                         "third-order displacements"};

/// The derivative along `derivative` of the potential with laplacian `source` moves particles along `target`.
struct Motion {
  const PencilMesh* source;
  int derivative, target;
  LptTerm factor;
  int order;
};

/// Adds the motion of particle p due to the potential's derivative there.
void move(ParticleStore& particles, std::size_t p, const Motion& motion, double value) {
  particles.position[p][motion.target] += motion.factor.position * value;
  float& velocity = particles.velocity[p][motion.target];
  velocity = static_cast<float>(velocity + motion.factor.momentum * value);
}

/// -i k / k^2 of a wave, the derivative's factor.
class Gradient {
 public:
  Gradient(double box_size, int axis) : scale_(box_size / (2 * std::numbers::pi)), axis_(axis) {}
  std::complex<double> operator()(const Wave& n) const {
    const std::int64_t square = norm2(n);
    if (square == 0) return 0;
    return {0, -(static_cast<double>(n[axis_]) / static_cast<double>(square)) * scale_};
  }

 private:
  double scale_;
  int axis_;
};

void move_sites(const Motion& motion, const Load& load, PencilMesh& mesh, ParticleStore& particles) {
  const Gradient gradient(load.box_size, motion.derivative);
  const HalfCellPhase half_cell(load.cells);
  auto first = load.site.begin();
  for (int lattice = 0; lattice < load.lattices; ++lattice) {
    mesh.set_values(*motion.source,
                    [&](const Wave& n) { return lattice == 0 ? gradient(n) : gradient(n) * half_cell(n.x, n.y, n.z); });
    const std::uint64_t end = static_cast<std::uint64_t>(lattice + 1) * load.sites_of_lattice();
    const auto last = std::lower_bound(first, load.site.end(), end);
#pragma omp parallel for schedule(static)
    for (auto site = first; site < last; ++site) {
      const Vec3<std::uint32_t> at = load.indices(*site);
      move(particles, static_cast<std::size_t>(site - load.site.begin()), motion, mesh.value(at.x, at.y, at.z));
    }
    first = last;
  }
}

/// A power of two that makes sums of values up to the mesh's largest exact.
double exact_quantum(const PencilMesh& mesh) {
  const IndexRange x_range = mesh.pencil().value_x, y_range = mesh.pencil().value_y;
  double most = 0;
#pragma omp parallel for collapse(2) schedule(static) reduction(max : most)
  for (std::uint32_t x = x_range.first; x < x_range.end(); ++x) {
    for (std::uint32_t y = y_range.first; y < y_range.end(); ++y) {
      const double* const line = mesh.values_along_z(x, y);
      for (std::uint32_t z = 0; z < mesh.cells(); ++z) most = std::max(most, std::fabs(line[z]));
    }
  }
  most = mesh.communicator().max(most);
  return most > 0 ? std::ldexp(1.0, std::ilogb(most) - 50) : 0;
}

void move_points(const Motion& motion, const Load& load, PencilMesh& mesh, ParticleStore& particles) {
  constexpr Assignment splines = Assignment::pcs;
  constexpr int order = static_cast<int>(splines);
  constexpr std::uint64_t in_flight = std::uint64_t{1} << 22;
  const std::uint32_t cells = mesh.cells();
  const Gradient gradient(load.box_size, motion.derivative);
  const HalfCellPhase half_cell(cells);
  std::vector<double> window;
  for (std::uint32_t n = 0; n <= load.cells / 2; ++n) window.push_back(assignment_window(splines, n, cells));
  const auto at = [&](std::int64_t n) { return window[static_cast<std::size_t>(std::abs(n))]; };
  LargeArray<double> value(load.site.size());
  for (const bool shifted : {false, true}) {
    mesh.set_values(*motion.source, [&](const Wave& n) {
      const std::complex<double> wave = gradient(n) / (at(n.x) * at(n.y) * at(n.z));
      return shifted ? wave * half_cell(n.x, n.y, n.z) : wave;
    });
    const PeriodicParticles points{load.point, particles.mass, load.box_size};
    const CloudMaker cloud(points, cells, shifted ? 0.5 : 0, 0, 1);
    const CloudMail mail = CloudMail::addressed<order>(cloud, mesh, in_flight);
    CloudPost post(mail, cloud, mesh.communicator());
    std::ranges::fill(value, 0.0);
    read_mesh<order>(mesh, post, exact_quantum(mesh), [&](std::uint32_t p, double part) { value[p] += part; });
#pragma omp parallel for schedule(static)
    for (std::size_t p = 0; p < value.size(); ++p) move(particles, p, motion, 0.5 * value[p]);
  }
}

/// The sources of potentials beyond delta, as far as they are wanted.
struct Sources {
  Sources(const PencilMesh& delta, const LptFactors& factors, const PartProgress& progress) {
    const bool third = factors.mixed.wanted() || factors.transverse.wanted();
    if (progress && (third || factors.determinant.wanted())) progress("third-order sources", 0);
    if (factors.determinant.wanted()) determinant.push_back(determinant_source(delta));
    if (third || factors.position2 != 0 || factors.momentum2 != 0) {
      second.push_back(second_order_source(delta, [&](double fraction) {
        if (progress && !third) progress("second-order source", fraction);
      }));
    }
    if (factors.mixed.wanted()) mixed.push_back(mixed_source(delta, second[0]));
    for (int i = 0; i < 3 && factors.transverse.wanted(); ++i) {
      transverse.push_back(transverse_source(delta, second[0], i));
    }
  }

  std::vector<PencilMesh> second, determinant, mixed;  ///< none or one
  std::vector<PencilMesh> transverse;                  ///< none or three
};

std::vector<Motion> motions(const PencilMesh& delta, const Sources& sources, const LptFactors& factors) {
  std::vector<Motion> all;
  const auto add_gradient = [&all](const PencilMesh& source, const LptTerm& factor, int order) {
    for (int axis = 0; axis < 3; ++axis) all.push_back({&source, axis, axis, factor, order});
  };
  add_gradient(delta, {-factors.position1, -factors.momentum1}, 1);
  for (const PencilMesh& source : sources.second) add_gradient(source, {factors.position2, factors.momentum2}, 2);
  for (const PencilMesh& source : sources.determinant) add_gradient(source, factors.determinant, 3);
  for (const PencilMesh& source : sources.mixed) add_gradient(source, factors.mixed, 3);
  for (std::size_t i = 0; i < sources.transverse.size(); ++i) {
    const int a = (static_cast<int>(i) + 1) % 3, b = (static_cast<int>(i) + 2) % 3;  // curl: x_a = d_b A_i
    const LptTerm factor = factors.transverse;
    all.push_back({&sources.transverse[i], b, a, factor, 3});
    all.push_back({&sources.transverse[i], a, b, {-factor.position, -factor.momentum}, 3});
  }
  return all;
}

}  // namespace

void displace(PencilMesh delta, const LptFactors& factors, const Load& load, ParticleStore& particles,
              const PartProgress& progress) {
  require(delta.cells() == load.cells, "the load's mesh is not the field's");
  const Sources sources(delta, factors, progress);
  if (progress) progress(displacements[0], 0);
  collectively(delta.communicator(), [&] { particles.resize(load.site.size()); });
#pragma omp parallel for schedule(static)
  for (std::size_t p = 0; p < load.site.size(); ++p) {
    particles.position[p] = load.position(p);
    particles.velocity[p] = {};
  }
  // A rank without points still takes part in the interpolation for the others.
  const bool glass = delta.communicator().any(!load.point.empty());
  const std::vector<Motion> all = motions(delta, sources, factors);
  PencilMesh mesh(delta.communicator(), glass ? dealiased_cells(load.cells) : load.cells);
  mesh.keep_spare();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto same = [&](const Motion& motion) { return motion.order == all[i].order; };
    const auto first = std::ranges::find_if(all, same) - all.begin();
    const auto done = static_cast<double>(static_cast<std::ptrdiff_t>(i) - first);
    if (progress)
      progress(displacements[all[i].order - 1], done / static_cast<double>(std::ranges::count_if(all, same)));
    (glass ? move_points : move_sites)(all[i], load, mesh, particles);
  }
}

}  // namespace multiwalk
