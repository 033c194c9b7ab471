#include "run/force_bench.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "host/base/units.hpp"
#include "ic/model.hpp"
#include "run/force_options_cli.hpp"
#include "run/simulation.hpp"
#include "run/snapshot.hpp"

namespace multiwalk {

namespace {

nlohmann::json seconds_json(const BenchResult& result) {
  nlohmann::json seconds{{"total", result.seconds}};
  for (const Phase phase :
       {Phase::sort, Phase::tree, Phase::walk, Phase::pack, Phase::transfer, Phase::device, Phase::let}) {
    const auto p = static_cast<std::size_t>(phase);
    seconds[std::string(phase_names[p])] = result.statistics.seconds[p];
  }
  double charged = 0;
  for (double s : result.statistics.seconds) charged += s;
  seconds["other"] =
      result.statistics.seconds[static_cast<std::size_t>(Phase::other)] + std::max(0.0, result.seconds - charged);
  return seconds;
}

/// Fractions of the total; a back end inside the walking threads has no device of its own.
nlohmann::json busy_json(const BenchResult& result, bool overlaps, int devices) {
  const ForceStatistics& s = result.statistics;
  const double lanes = std::max(1, devices) * result.seconds;
  const double working = s.walking + (overlaps ? 0 : s.backend.pack + s.backend.device);
  return {{"device", overlaps ? s.backend.device / lanes : 0.0},
          {"link", overlaps ? s.backend.transfer / lanes : 0.0},
          {"walkers", working / (s.threads * result.seconds)}};
}

/// Part of the walking time during which the device worked as well.
double hidden_walking(const BenchResult& result, int devices) {
  const ForceStatistics& s = result.statistics;
  const double walking = s.walking / s.threads;
  const double device = s.backend.device / std::max(1, devices);
  return walking > 0 ? std::clamp((walking + device - s.wall) / walking, 0.0, 1.0) : 0;
}

void count_interactions(const ParticleSystem& system, const BenchTask& task, BenchResult& result) {
  const Cube cube = enclosing_cube(bounding_box(system.particles.position));
  const std::uint64_t sample = std::max<std::uint64_t>(task.sample, 20000);
  result.effective = count_effective(system.particles, cube, task.force.theta, sample, task.seed);
  result.equal_error_monopole = count_equal_error_monopole(system.particles, cube, task.law, result.errors.total.p99,
                                                           std::max<std::uint64_t>(task.sample, 1000), task.seed);
}

ParticleSystem lattice_model(ModelKind kind, std::uint64_t particles, std::uint64_t seed) {
  ModelOptions model;
  model.kind = kind;
  model.seed = seed;
  if (kind == ModelKind::hubble_lattice) model.jitter = 0.1;
  IcOptions ic;
  ic.grid = static_cast<std::uint32_t>(std::max(2.0, std::round(std::cbrt(static_cast<double>(particles) * 6 / M_PI))));
  return make_model(model, ic, CosmologyParameters{});
}

ParticleSystem isolated_model(ModelKind kind, std::uint64_t particles, std::uint64_t seed) {
  ModelOptions model;
  model.kind = kind;
  model.particles = particles;
  model.seed = seed;
  if (kind == ModelKind::uniform) model.radius = 1;
  return make_model(model, IcOptions{}, CosmologyParameters{});
}

}  // namespace

BenchResult bench_forces(ParticleSystem& system, const BenchTask& task, ForceBackend& backend) {
  GravitySolver solver(task.force, backend, task.threads);
  BenchResult result;
  result.seconds = std::numeric_limits<double>::infinity();
  solver.accelerate(system.particles, task.law, task.background);
  for (int r = 0; r < task.repeats; ++r) {
    const double start = wall_time();
    const ForceStatistics statistics = solver.accelerate(system.particles, task.law, task.background);
    const double seconds = wall_time() - start;
    if (seconds < result.seconds) {
      result.seconds = seconds;
      result.statistics = statistics;
    }
  }
  result.errors = measure_force_error(system.particles, task.law, task.sample, task.background, task.seed);
  result.error = task.peculiar ? result.errors.peculiar : result.errors.total;
  if (task.effective) count_interactions(system, task, result);
  return result;
}

nlohmann::json bench_json(const ParticleSystem& system, const BenchTask& task, const BenchResult& result,
                          const ForceBackend& backend, int devices) {
  const RawCount& raw = result.statistics.raw;
  const auto n = static_cast<double>(system.particles.size());
  nlohmann::json pairs{{"pp", raw.particle_pairs}, {"pc", raw.cell_pairs}, {"raw", raw.total()}};
  pairs["effective"] = nullptr;
  pairs["effective_error"] = nullptr;
  pairs["equal_error_monopole"] = nullptr;
  if (result.effective) {
    pairs["effective"] = result.effective->pairs;
    pairs["effective_error"] = result.effective->standard_error;
  }
  if (result.equal_error_monopole) {
    pairs["equal_error_monopole"] = result.equal_error_monopole->count.pairs;
    pairs["equal_error_theta"] = result.equal_error_monopole->theta;
  }
  const ErrorPercentiles& e = result.error;
  return {{"particles", system.particles.size()},
          {"theta", task.force.theta},
          {"alpha", task.force.alpha},
          {"mac", mac_name(task.force.mac)},
          {"multipole", multipole_name(task.force.multipole)},
          {"group_size", task.force.group_size > 0 ? task.force.group_size : backend.preferred_group_size()},
          {"mean_group", n / static_cast<double>(std::max<std::uint64_t>(1, raw.walks))},
          {"leaf_size", task.force.leaf_size},
          {"softening", task.law.softening},
          {"backend", backend.name()},
          {"backend_description", backend.description()},
          {"ranks", 1},
          {"threads", result.statistics.threads},
          {"devices", devices},
          {"seconds", seconds_json(result)},
          {"particles_per_second", n / result.seconds},
          {"busy", busy_json(result, backend.overlaps(), devices)},
          {"hidden_walking", backend.overlaps() ? hidden_walking(result, devices) : 0.0},
          {"pairs", pairs},
          {"pairs_per_second", static_cast<double>(raw.total()) / result.seconds},
          {"error", {{"median", e.median}, {"p90", e.p90}, {"p99", e.p99}, {"max", e.max}, {"sample", e.sample}}},
          {"error_of", task.peculiar ? "peculiar" : "total"}};
}

ParticleSystem bench_model(const std::string& name, std::uint64_t particles, std::uint64_t seed, BenchTask& task) {
  ParticleSystem system;
  CosmologyParameters cosmology;
  if (name == "plummer") {
    system = isolated_model(ModelKind::plummer, particles, seed);
  } else if (name == "uniform") {
    system = isolated_model(ModelKind::uniform, particles, seed);
  } else if (name == "hubble") {
    system = lattice_model(ModelKind::hubble_lattice, particles, seed);
  } else if (name == "cosmological") {
    system = lattice_model(ModelKind::sphere, particles, seed);
  } else {
    SnapshotInfo info = read_snapshot(name);
    cosmology = info.cosmology;
    if (task.law.softening <= 0 && info.softening >= 0) task.law.softening = info.softening;
    system = std::move(info.system);
  }
  const bool comoving = system.frame == Frame::comoving;
  task.law.gravitational_constant = comoving ? units::gravitational_constant : 1;
  require_vacuum(system);
  task.background = background_term(system, cosmology);
  return system;
}

}  // namespace multiwalk
