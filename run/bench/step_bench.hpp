// SPDX-License-Identifier: GPL-3.0-or-later
// Timed steps of a run in memory, with no outputs: the engine of `bench steps`. A step is what users pay for: forces,
// kicks, drift, order and sums of energy.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/forces/force_error.hpp"
#include "decomposition/ranks/communicator.hpp"
#include "host/particles/particle_system.hpp"
#include "host/solver/size_tuner.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/parameters/parameters.hpp"
#include "run/records/run_record.hpp"

namespace multiwalk {

struct StepBenchTask {
  int steps = 10;               ///< timed, after the first forces and `warm` steps
  int warm = 2;                 ///< steps that are not counted
  bool shuffled = false;        ///< particles begin in random order instead of the model's
  std::uint64_t sample = 1000;  ///< particles compared with direct summation after the last step; 0: none
  std::uint64_t seed = 1;
};

/// Results, the same on every rank.
struct StepBenchResult {
  double first_forces = 0;          ///< seconds of the first evaluation
  std::vector<double> seconds;      ///< (steps) wall time of the slowest rank
  std::vector<StepRecord> records;  ///< (steps)
  std::uint64_t particles = 0;
  TreeSizes sizes;
  ErrorPercentiles error;  ///< of the forces after the last step, of the peculiar acceleration
  double energy_error = 0;
};

/// Puts this rank's particles in a random order that depends on the seed and the rank alone.
void shuffle(ParticleStore& particles, std::uint64_t seed, int rank);

/// The particles of the parameters (starting_system) in the order that the task asks for. Throws SharedError for direct
/// runs. Collective.
ParticleSystem make_bench_system(Parameters& parameters, const StepBenchTask& task, const Communicator& comm);

/// Takes steps from there as a run would. Collective.
StepBenchResult bench_steps(const Parameters& asked, const StepBenchTask& task, const BackendChoice& choice,
                            const Communicator& comm);

/// One JSON object; phases are those of the step of median length.
nlohmann::json step_bench_json(const StepBenchTask& task, const StepBenchResult& result, const BackendChoice& choice);

std::string step_bench_text(const nlohmann::json& j);

}  // namespace multiwalk
