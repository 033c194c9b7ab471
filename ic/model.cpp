// The one entry that makes a model's particles, and what that needs.
#include "ic/model.hpp"

#include <algorithm>
#include <numbers>

#include "host/base/error.hpp"
#include "ic/cosmological_sphere.hpp"
#include "ic/hubble_lattice.hpp"
#include "ic/periodic_box.hpp"
#include "ic/plummer.hpp"
#include "ic/realisation.hpp"
#include "ic/two_body.hpp"
#include "ic/uniform_sphere.hpp"

namespace multiwalk {

namespace {

constexpr double bytes_per_particle = sizeof(Vec3d) + 2 * sizeof(Vec3f) + 2 * sizeof(float) + 2 * sizeof(std::uint64_t);

double cube(double x) {
  return x * x * x;
}

/// Three meshes with the particles and their sites; before them the second order on finer meshes.
double realisation_memory(double particles, double grid, bool second_order) {
  const double mesh = sizeof(double) * cube(grid);
  const double displacing = 3 * mesh + particles * (bytes_per_particle + sizeof(std::uint64_t));
  return std::max(displacing, second_order ? mesh + 2 * cube(1.5) * mesh : 0.0);
}

}  // namespace

ParticleSystem make_model(const ModelOptions& model, const IcOptions& ic, const CosmologyParameters& cosmology,
                          const ModelProgress& progress) {
  switch (model.kind) {
    case ModelKind::sphere:
      return make_cosmological_sphere(model, ic, cosmology, progress);
    case ModelKind::box:
      return make_periodic_box(model, ic, cosmology, progress);
    case ModelKind::hubble_lattice:
      return make_hubble_lattice(model, ic, cosmology);
    case ModelKind::plummer:
      return make_plummer(model.particles, model.seed);
    case ModelKind::uniform:
      return make_uniform_sphere(model.particles, model.radius, model.seed);
    case ModelKind::two_body:
      return make_two_body(model.eccentricity);
    case ModelKind::file:
      break;
  }
  throw Error("make_model does not read files");
}

double model_memory(const ModelOptions& model, const IcOptions& ic) {
  const double sites = cube(ic.grid);
  const double in_sphere = 4 * std::numbers::pi / 3 * cube(model.radius / realisation_side(model)) * sites;
  switch (model.kind) {
    case ModelKind::sphere:
      return realisation_memory(in_sphere, ic.grid, ic.lpt_order == 2);
    case ModelKind::box:
      return realisation_memory(sites, ic.grid, ic.lpt_order == 2);
    case ModelKind::hubble_lattice:
      return in_sphere * (bytes_per_particle + sizeof(std::uint64_t));
    case ModelKind::two_body:
      return 2 * bytes_per_particle;
    default:
      return static_cast<double>(model.particles) * bytes_per_particle;
  }
}

}  // namespace multiwalk
