// SPDX-License-Identifier: GPL-3.0-or-later
// The entry point that makes a model's particles, and the memory that it needs.
#include "ic/models/model.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "decomposition/mesh/pencil_grid.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "ic/lpt/lpt_sources.hpp"
#include "ic/models/cosmological_sphere.hpp"
#include "ic/models/hubble_lattice.hpp"
#include "ic/models/make_load.hpp"
#include "ic/models/periodic_box.hpp"
#include "ic/models/plummer.hpp"
#include "ic/models/realisation.hpp"
#include "ic/models/two_body.hpp"
#include "ic/models/uniform_sphere.hpp"

namespace multiwalk {

namespace {

/// For all arrays of the store.
double bytes_per_particle() {
  double bytes = 0;
  ParticleStore().for_each_array([&bytes](const char*, const auto& array) { bytes += sizeof(array[0]); });
  return bytes;
}

/// Mesh with `cells` per side, on the rank with the most.
double mesh_memory(std::uint32_t cells, int ranks) {
  const PencilGrid grid(ranks);
  const auto part = [](std::uint32_t n, int parts) { return std::ceil(n / static_cast<double>(parts)); };
  const std::uint32_t half = cells / 2 + 1;
  const double row = part(cells, grid.rows);
  return sizeof(std::complex<double>) * row *
         std::max(cells * part(half, grid.columns), part(cells, grid.columns) * half);
}

/// The density and the other potentials that move particles, one mesh each, with one more for interpolation and the
/// particles of the load; before them the products on finer meshes. On several ranks one more for a transform.
double realisation_memory(double particles, const IcOptions& ic, int ranks) {
  const bool glass = ic.load == LoadKind::glass;
  const double mesh = mesh_memory(ic.grid, ranks);
  const double fine = mesh_memory(dealiased_cells(ic.grid), ranks);
  const int spare = ranks > 1 ? 1 : 0;
  const int sources = ic.lpt_order == 1 ? 1 : ic.lpt_order == 2 ? 2 : 7;
  // A glass needs more: positions, clouds in flight, and interpolated values.
  const double place = sizeof(std::uint64_t) + (glass ? sizeof(Vec3d) + 80 + sizeof(double) : 0);
  const double moving =
      sources * mesh + (1 + spare) * (glass ? fine : mesh) + particles * (bytes_per_particle() + place);
  double products = 0;
  if (ic.lpt_order == 2) products = mesh + (2 + spare) * fine;
  if (ic.lpt_order == 3) {
    products =
        std::max(mesh + (3 + spare) * mesh_memory(dealiased_cells(ic.grid, 3), ranks), 6 * mesh + (3 + spare) * fine);
  }
  return std::max(moving, products);
}

}  // namespace

ParticleSystem make_model(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                          const ModelProgress& progress, const Communicator& comm) {
  switch (model.kind) {
    case ModelKind::sphere:
      return make_cosmological_sphere(model, ic, cosmology, progress, comm);
    case ModelKind::box:
      return make_periodic_box(model, ic, cosmology, progress, comm);
    case ModelKind::hubble_lattice:
      return make_hubble_lattice(model, ic, cosmology, comm);
    case ModelKind::plummer:
      return make_plummer(model.particles, model.seed, comm);
    case ModelKind::uniform:
      return make_uniform_sphere(model.particles, model.radius, model.seed, comm);
    case ModelKind::two_body:
      return make_two_body(model.eccentricity, comm);
    case ModelKind::galaxy:
      return make_galaxy(model.galaxy, model.particles, model.seed, comm);
    case ModelKind::galaxy_pair:
      return make_galaxy_pair(model.galaxy, model.pair, model.particles, model.seed, comm);
    case ModelKind::kepler_disc:
    case ModelKind::bodies:
      throw SharedError("model.kind = kepler_disc and bodies are for direct summation: set force.method = \"direct\"");
    case ModelKind::file:
      break;
  }
  throw Error("make_model does not read files");
}

std::vector<IdRange> stars_of(const ModelOptions& model) {
  if (model.kind == ModelKind::galaxy) return stars_of_galaxy(model.galaxy, model.particles);
  if (model.kind == ModelKind::galaxy_pair) return stars_of_pair(model.galaxy, model.pair, model.particles);
  return {};
}

double model_memory(const ModelOptions& model, const IcOptions& ic, int ranks) {
  const PencilGrid grid(ranks);
  const int per_cell = particles_per_cell(ic.load);
  const double sites = per_cell * ic.grid * std::ceil(ic.grid / static_cast<double>(grid.rows)) *
                       std::ceil(ic.grid / static_cast<double>(grid.columns));
  const double in_sphere = std::min(
      sites, per_cell * 4 * std::numbers::pi / 3 * std::pow(model.radius / realisation_side(model) * ic.grid, 3));
  switch (model.kind) {
    case ModelKind::sphere:
      return realisation_memory(in_sphere, ic, ranks);
    case ModelKind::box:
      return realisation_memory(sites, ic, ranks);
    case ModelKind::hubble_lattice:
      return in_sphere * (bytes_per_particle() + sizeof(std::uint64_t));
    case ModelKind::two_body:
      return 2 * bytes_per_particle();
    default:
      return std::ceil(static_cast<double>(model.particles) / ranks) * bytes_per_particle();
  }
}

}  // namespace multiwalk
