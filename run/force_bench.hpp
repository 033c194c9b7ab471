// Timed and checked evaluations of all forces of one particle set: the engine of `bench forces` and `accuracy`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "analysis/force_error.hpp"
#include "analysis/interaction_census.hpp"
#include "host/force/gravity_solver.hpp"
#include "host/particles/particle_system.hpp"
#include "run/backend_choice.hpp"

namespace multiwalk {

struct BenchTask {
  GravityOptions force;
  PairLaw law;
  double background = 0;  ///< the peculiar acceleration's linear term
  bool peculiar = false;  ///< judge errors against the peculiar acceleration
  int threads = 0;
  int repeats = 3;  ///< after one warm evaluation; the fastest counts
  std::uint64_t sample = 1000;
  std::uint64_t seed = 1;
  bool effective = false;  ///< count BH86 lists and the monopole walk of equal error
};

struct BenchResult {
  ForceStatistics statistics;  ///< of the fastest repeat
  double seconds = 0;
  ForceError errors;
  ErrorPercentiles error;  ///< of the acceleration the task names
  std::optional<EffectiveCount> effective;
  std::optional<EqualErrorCount> equal_error_monopole;
};

BenchResult bench_forces(ParticleSystem& system, const BenchTask& task, ForceBackend& backend);

/// The stable figures of `bench forces` (one JSON object).
nlohmann::json bench_json(const ParticleSystem& system, const BenchTask& task, const BenchResult& result,
                          const ForceBackend& backend, int devices);

/// A model by name ("plummer", "uniform", "hubble", "cosmological") of about `particles` particles, or a snapshot file;
/// sets G and the background of the task, and its softening if that is not given and the file states one.
ParticleSystem bench_model(const std::string& name, std::uint64_t particles, std::uint64_t seed, BenchTask& task);

}  // namespace multiwalk
