// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/bench/force_bench.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string_view>
#include <utility>

#include "analysis/forces/force_error.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/essential_trees/essential_trees.hpp"
#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/peak_memory.hpp"
#include "host/base/units.hpp"
#include "host/motion/particles.hpp"
#include "ic/models/model.hpp"
#include "run/bench/median.hpp"
#include "run/bench/step_bench.hpp"
#include "run/evolve/force_range.hpp"
#include "run/evolve/simulation.hpp"
#include "run/files/json_output.hpp"
#include "run/parameters/sections/force.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

namespace {

/// Means over ranks; `total` is what they sum to.
nlohmann::json phases_json(const BenchResult& result) {
  nlohmann::json seconds{{"total", result.seconds}};
  for (std::size_t p = 0; p < phase_count; ++p) {
    const bool never = p == static_cast<std::size_t>(Phase::integration) || p == static_cast<std::size_t>(Phase::io);
    if (!never) seconds[std::string(phase_names[p])] = result.ranks.seconds[p].mean;
  }
  return seconds;
}

/// Fractions of the whole; a back end inside the walking threads has no device of its own. Collective.
void record_busy(const ForceStatistics& s, const BackendChoice& choice, const Communicator& comm, BenchResult& result) {
  const bool overlaps = choice.backend->overlaps();
  const double devices = std::max<double>(1, static_cast<double>(choice.devices.size()));
  const double walking = s.walking / s.threads, device = s.backend.device / devices;
  const double working = s.walking + (overlaps ? 0 : s.backend.pack + s.backend.device);
  std::array<double, 4> sum{overlaps ? device / result.seconds : 0,
                            overlaps ? s.backend.transfer / devices / result.seconds : 0,
                            working / (s.threads * result.seconds),
                            overlaps && walking > 0 ? std::clamp((walking + device - s.wall) / walking, 0.0, 1.0) : 0};
  comm.sum(std::span<double>(sum));
  for (double& value : sum) value /= comm.size();
  result.device_busy = sum[0];
  result.link_busy = sum[1];
  result.walkers_busy = sum[2];
  result.hidden_walking = sum[3];
}

/// Evaluations of one particle set on this rank and the others.
class Evaluations {
 public:
  Evaluations(Particles& particles, const BenchTask& task, const BackendChoice& choice, const Communicator& comm)
      : particles_(particles),
        task_(task),
        choice_(choice),
        comm_(comm),
        solver_(task.force, *choice.backend, task.threads),
        domains_(comm, options_of(task)),
        essential_trees_(comm),
        random_(task.seed) {
    if (task.box_forces) long_range_ = make_long_range(*task.box_forces, *choice.backend, comm);
  }

  /// Seconds of the slowest rank.
  double operator()() {
    if (task_.shuffle) shuffle(particles_.come_home(), random_(), comm_.rank());
    comm_.barrier();
    sent_ = Communicator::bytes_sent();
    const double start = wall_time();
    if (!comm_.alone()) domains_.distribute(particles_.come_home());
    distributed_ = wall_time() - start;
    // The relative criterion bounds the error relative to the acceleration by which errors are judged.
    const double background = task_.peculiar ? task_.background : 0;
    statistics_ = particles_.accelerate(solver_, task_.law,
                                        {background, comm_.alone() ? nullptr : &essential_trees_, long_range_.get()});
    own_seconds_ = wall_time() - start;
    sent_ = Communicator::bytes_sent() - sent_;
    return comm_.max(own_seconds_);
  }

  /// Evaluates until the fastest sizes are known, unless they are given. Collective.
  void tune() {
    SizeTuner tuner(solver_.sizes(), solver_.tunable());
    while (!tuner.settled()) {
      solver_.set_sizes(tuner.sizes());
      (*this)();
      tuner.record(comm_.max(statistics_.seconds_of_sizes()));
    }
    solver_.set_sizes(tuner.sizes());
  }

  /// Records the last evaluation, which took `seconds`. Collective.
  void record(double seconds, BenchResult& result) const {
    RankTimings own;
    own.seconds = statistics_.seconds;
    own.seconds[static_cast<std::size_t>(Phase::decompose)] += distributed_;
    own.seconds[static_cast<std::size_t>(Phase::other)] += seconds - total(own.seconds);
    own.waiting = seconds - own_seconds_;
    own.work = static_cast<double>(statistics_.raw.total());
    own.particles = static_cast<double>(particles_.size());
    own.bytes_sent = static_cast<double>(sent_);
    if (!comm_.alone()) own.add(essential_trees_.statistics());
    result.seconds = seconds;
    result.sizes = solver_.sizes();
    result.ranks = over_ranks(comm_, own);
    result.raw = sum_over_ranks(comm_, statistics_.raw);
    result.threads = statistics_.threads;
    record_busy(statistics_, choice_, comm_, result);
  }

 private:
  static MultisectionOptions options_of(const BenchTask& task) {
    MultisectionOptions options;
    options.grid = task.grid;
    options.smoothing = 1;
    return options;
  }

  Particles& particles_;
  const BenchTask& task_;
  const BackendChoice& choice_;
  Communicator comm_;
  GravitySolver solver_;
  Domains domains_;
  EssentialTrees essential_trees_;
  std::unique_ptr<LongRangeForce> long_range_;
  ForceStatistics statistics_;
  std::mt19937_64 random_;
  double distributed_ = 0, own_seconds_ = 0;
  std::uint64_t sent_ = 0;
};

void require_resident(bool stay) {
  if (stay) return;
  throw InputError(
      "particles stay on a device (--resident) only if one rank has one device with enough memory for 20,000 or more "
      "(in a periodic box: not with --walks host)");
}

/// Leaves the particles to a device that can do all the work of an evaluation.
void stay_on_device(Particles& particles, ForceBackend& backend, const Communicator& comm) {
  const bool suits = backend.device_walker() != nullptr || particles.facts().boundary == Boundary::vacuum;
  require_resident(comm.alone() && suits && particles.stay_on_device());
}

void count_interactions(ParticleStore& particles, const BenchTask& task, ForceBackend& backend,
                        const Communicator& comm, BenchResult& result) {
  const Cube cube = enclosing_cube(bounding_box(particles.position));
  if (comm.alone()) sort_by_key(particles, cube);
  const CensusTree tree(particles, cube, task.law, comm);
  const Sample counted{std::max<std::uint64_t>(task.sample, 20000), task.seed};
  result.effective = count_effective(tree, particles, task.force.theta, counted, comm);
  const Sample compared{std::max(task.sample, ErrorPercentiles::least_for_p99), task.seed};
  const ForceTruth truth = sum_directly(particles, task.law, compared, comm, {&backend});
  const ErrorLevel level = level_of(result.errors.total);
  result.equal_error_of_median = level.of_median;
  result.equal_error_monopole = count_equal_error_monopole(tree, particles, task.law, truth, level, comm);
}

/// A lattice model has about so many particles.
ParticleSystem made_model(ModelKind kind, std::uint64_t particles, std::uint64_t seed, const Communicator& comm) {
  ModelOptions model;
  model.kind = kind;
  model.particles = particles;
  model.seed = seed;
  if (kind == ModelKind::uniform) model.radius = 1;
  if (kind == ModelKind::hubble_lattice) model.jitter = 0.1;
  IcOptions ic;
  ic.grid = static_cast<std::uint32_t>(std::max(2.0, std::round(std::cbrt(static_cast<double>(particles) * 6 / M_PI))));
  return make_model(model, ic, CosmologyParameters{}, nullptr, comm);
}

/// The scale of the split in cells of the mesh, the cut-off in scales.
nlohmann::json mesh_json(const BoxForces& forces, const PairLaw& law) {
  const double scale = law.split.scale / law.box_size, cutoff = law.split.cutoff / law.split.scale;
  return {{"cells", forces.mesh.cells}, {"split", scale * forces.mesh.cells}, {"cutoff", cutoff}};
}

void require_possible(const ParticleSystem& system, const BenchTask& task, const ForceBackend& backend) {
  require_boundary(system, backend);
  if (task.shuffle && task.resident)
    throw InputError("--shuffle puts particles of the host in random order: not with --resident");
  if (task.effective && task.sample == 0)
    throw InputError("--effective compares walks of equal error: it needs a --sample above 0");
  if (task.effective && task.law.box_size > 0 && !(task.law.split.scale > 0))
    throw InputError("--effective counts walks in a vacuum or of split forces: not with Ewald sums");
}

nlohmann::json pairs_json(const BenchResult& result) {
  const RawCount& raw = result.raw;
  nlohmann::json pairs{
      {"pp", raw.particle_pairs}, {"pc", raw.cell_pairs}, {"expansions", raw.expansions}, {"raw", raw.total()}};
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
    pairs["equal_error_of"] = result.equal_error_of_median ? "median" : "99%";
  }
  return pairs;
}

}  // namespace

void choose_box_forces(BenchTask& task, const ParticleSystem& system, const ForceBackend& backend,
                       const Communicator& comm) {
  if (!splits_forces(system, backend)) return;
  const auto particles = comm.sum(static_cast<std::uint64_t>(system.particles.size()));
  const BoxForces forces =
      collectively(comm, [&] { return resolve_box_forces(task.box, task.force, particles, system.box_size); });
  task.box_forces = forces;
  task.law.split = forces.split;
  task.force = forces.walks;
}

BenchResult bench_forces(ParticleSystem& system, const BenchTask& task, const BackendChoice& choice,
                         const Communicator& comm) {
  // The first cuts do not know the work, the second know that of the first; the third hardly differ.
  constexpr int warm_on_ranks = 3;
  collectively(comm, [&] { require_possible(system, task, *choice.backend); });
  Particles particles(std::exchange(system, {}), *choice.backend);
  Evaluations evaluate(particles, task, choice, comm);
  for (int w = 0; w < (comm.alone() ? 1 : warm_on_ranks); ++w) evaluate();
  if (task.tune) evaluate.tune();
  if (task.resident) {
    stay_on_device(particles, *choice.backend, comm);
    evaluate();
  }
  BenchResult result;
  result.particles = comm.sum(static_cast<std::uint64_t>(particles.size()));
  result.seconds = std::numeric_limits<double>::infinity();
  for (int r = 0; r < task.repeats; ++r) {
    const double seconds = evaluate();
    result.repeats.push_back(seconds);
    if (seconds < result.seconds) evaluate.record(seconds, result);
  }
  require_resident(!task.resident || particles.on_device());
  system = particles.release();
  result.host_memory = comm.max(static_cast<std::uint64_t>(peak_memory()));
  result.device_memory = comm.max(static_cast<std::uint64_t>(choice.backend->peak_device_memory()));
  if (task.sample > 0) {
    result.errors = measure_force_error(system.particles, task.law, {task.sample, task.seed}, task.background, comm,
                                        {choice.backend.get()});
  }
  result.error = task.peculiar ? result.errors.peculiar : result.errors.total;
  if (task.effective) count_interactions(system.particles, task, *choice.backend, comm, result);
  return result;
}

nlohmann::json bench_json(const BenchTask& task, const BenchResult& result, const BackendChoice& choice) {
  const ForceBackend& backend = *choice.backend;
  const RawCount& raw = result.raw;
  const auto n = static_cast<double>(result.particles);
  const ErrorPercentiles& e = result.error;
  const auto errors_json = [&](const ErrorPercentiles& of) {
    return task.sample > 0 ? percentiles_json(of) : nlohmann::json();
  };
  nlohmann::json json{
      {"particles", result.particles},
      {"theta", task.force.theta},
      {"alpha", task.force.alpha},
      {"mac", mac_name(task.force.mac)},
      {"multipole", multipole_name(task.force.multipole)},
      {"group_size", result.sizes.group},
      {"mean_group", n / static_cast<double>(std::max<std::uint64_t>(1, raw.walks))},
      {"leaf_size", result.sizes.leaf},
      {"softening", task.law.softening},
      {"backend", backend.name()},
      {"device_walks", choice.backend->device_walker() != nullptr},
      {"backend_description", backend.description()},
      {"resident", task.resident},
      {"shuffled", task.shuffle},
      {"ranks", result.ranks.ranks},
      {"threads", result.threads},
      {"devices", choice.devices_in_all},
      {"seconds", phases_json(result)},
      {"seconds_median", median_of(result.repeats)},
      {"seconds_of_repeats", result.repeats},
      {"particles_per_second", n / result.seconds},
      {"particles_per_second_median", n / median_of(result.repeats)},
      {"busy", {{"device", result.device_busy}, {"link", result.link_busy}, {"walkers", result.walkers_busy}}},
      {"hidden_walking", result.hidden_walking},
      {"memory",
       {{"host", result.host_memory},
        {"device", result.device_memory},
        {"host_per_particle", static_cast<double>(result.host_memory) * result.ranks.ranks / n},
        {"device_per_particle", static_cast<double>(result.device_memory) * choice.devices_in_all / n}}},
      {"pairs", pairs_json(result)},
      {"pairs_per_second", static_cast<double>(raw.total()) / result.seconds},
      {"error", errors_json(e)},
      {"error_of", task.peculiar ? "peculiar" : "total"}};
  json["over_ranks"] = to_json(result.ranks);
  if (task.law.box_size > 0) json["error_of_rms"] = errors_json(result.errors.of_rms);
  if (task.box_forces) json["mesh"] = mesh_json(*task.box_forces, task.law);
  const double owned = result.ranks.particles.mean;
  json["over_ranks"]["essential_trees"]["fraction_of_particles"] =
      owned > 0 ? result.ranks.tree_particles.mean / owned : 0;
  return json;
}

ParticleSystem bench_model(const std::string& name, std::uint64_t particles, std::uint64_t seed, BenchTask& task,
                           const Communicator& comm, const Unsaid& unsaid) {
  ParticleSystem system;
  CosmologyParameters cosmology;
  const std::map<std::string, ModelKind> made{{"plummer", ModelKind::plummer},
                                              {"uniform", ModelKind::uniform},
                                              {"hubble", ModelKind::hubble_lattice},
                                              {"cosmological", ModelKind::sphere}};
  if (const auto kind = made.find(name); kind != made.end()) {
    system = made_model(kind->second, particles, seed, comm);
  } else {
    SnapshotInfo info = look_at_snapshot(name, comm, unsaid, RepeatedIds::warned_of);
    cosmology = info.cosmology;
    if (task.law.softening <= 0 && info.softening >= 0) task.law.softening = info.softening;
    system = std::move(info.system);
  }
  const bool comoving = system.frame == Frame::comoving;
  task.law.gravitational_constant = comoving ? units::gravitational_constant : 1;
  task.law.box_size = period_of(system);
  task.background = background_term(system, cosmology);
  require_force_range(system, name, comm);
  return system;
}

}  // namespace multiwalk
