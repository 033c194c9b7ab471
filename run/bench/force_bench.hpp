// SPDX-License-Identifier: GPL-3.0-or-later
// Timed and checked evaluations of all forces of one particle set: the engine of `bench forces` and `accuracy`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/forces/force_error.hpp"
#include "analysis/forces/interaction_census.hpp"
#include "decomposition/domains/domain_map.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "host/solver/gravity_solver.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/evolve/box_forces.hpp"
#include "run/records/rank_timings.hpp"
#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

struct BenchTask {
  GravityOptions force;
  PairLaw law;
  BoxForceParameters box;  ///< in a periodic box; choose_box_forces makes of it law.split, box_forces and some of force
  std::optional<BoxForces> box_forces;
  double background = 0;  ///< the peculiar acceleration's linear term
  bool peculiar = false;  ///< judge errors against the peculiar acceleration
  int threads = 0;
  int repeats = 3;              ///< after one warm evaluation
  bool tune = false;            ///< search for the fastest sizes of groups and leaves first
  bool shuffle = false;         ///< random order before each evaluation, as from users; untimed
  bool resident = false;        ///< particles and forces stay on the device from one evaluation to the next
  std::uint64_t sample = 1000;  ///< particles compared with direct summation; 0: none
  std::uint64_t seed = 1;
  bool effective = false;    ///< count BH86 lists and the monopole walk of equal error
  DomainGrid grid{0, 0, 0};  ///< domains along x, y and z; zeros: chosen
};

/// Results of the fastest repeat, the same on every rank.
struct BenchResult {
  double seconds = 0;           ///< from the barrier before the cuts to the last force of the slowest rank
  std::vector<double> repeats;  ///< (repeats) the same for each repeat, in order
  RankFigures ranks;            ///< of this evaluation; a rank's phases sum to `seconds`
  RawCount raw;                 ///< of all ranks
  TreeSizes sizes;
  int threads = 1;  ///< of each rank
  std::uint64_t particles = 0;
  std::uint64_t host_memory = 0, device_memory = 0;  ///< bytes at peak, of the rank and the device that held most
  /// Means over ranks, fractions of `seconds`: a device evaluating, its link copying, the threads walking; and the part
  /// of walking that went on while a device worked.
  double device_busy = 0, link_busy = 0, walkers_busy = 0, hidden_walking = 0;
  ForceError errors;
  ErrorPercentiles error;  ///< of the acceleration the task names
  std::optional<EffectiveCount> effective;
  std::optional<EqualErrorCount> equal_error_monopole;
  bool equal_error_of_median = false;  ///< equal_error has the same median error, otherwise the same 99% error
};

/// Sets what forces in a periodic system need. Collective.
void choose_box_forces(BenchTask& task, const ParticleSystem& system, const ForceBackend& backend,
                       const Communicator& comm);

/// Repeats cuts, migration and forces, after first evaluations that measure the work for the cuts. Throws InputError if
/// particles that should stay on a device cannot. Collective.
BenchResult bench_forces(ParticleSystem& system, const BenchTask& task, const BackendChoice& choice,
                         const Communicator& comm);

/// The stable figures of `bench forces` (one JSON object).
nlohmann::json bench_json(const BenchTask& task, const BenchResult& result, const BackendChoice& choice);

/// This rank's share of a model by name ("plummer", "uniform", "hubble", "cosmological") of about `particles`
/// particles, or of a snapshot file, where `unsaid` gives what the file does not state; sets G and the background of
/// the task, and its softening if that is not given and the file states one. Collective.
ParticleSystem bench_model(const std::string& name, std::uint64_t particles, std::uint64_t seed, BenchTask& task,
                           const Communicator& comm, const Unsaid& unsaid = {});

}  // namespace multiwalk
