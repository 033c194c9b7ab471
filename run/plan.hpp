// Memory and run time of a run before it is made: counted bytes and a short measurement on this machine.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "run/backend_choice.hpp"
#include "run/parameters.hpp"

namespace multiwalk {

struct MemoryPlan {
  std::uint64_t particles = 0;
  double initial_conditions = 0;  ///< bytes at peak while they are made
  double step = 0;                ///< bytes at peak of a step or of an output with halos, per rank
  double device = 0;              ///< bytes per device; 0 on the CPU
  double snapshot = 0;            ///< bytes of one snapshot on disk
};

struct TimePlan {
  double particles_per_second = 0;  ///< measured on a small model of the same kind
  std::uint64_t sample = 0;         ///< particles of that model
  double steps = 0;                 ///< estimated; with block steps, of all particles together that they amount to
  double seconds_per_step = 0;
};

/// How many particles the parameters make (a file's header is read).
std::uint64_t planned_particles(const Parameters& parameters);
/// The same model at the same density with about `wanted` particles instead of `planned`; itself if it has no more.
Parameters smaller_model(const Parameters& parameters, std::uint64_t planned, std::uint64_t wanted);
/// Bytes at peak on the fullest of `ranks`, making initial conditions.
double conditions_bytes(const Parameters& parameters, int ranks);
/// Bytes at peak of a step on a rank with so many particles, other ranks' trees not counted.
double step_bytes(const Parameters& parameters, double particles);
MemoryPlan plan_memory(const Parameters& parameters, int devices);
TimePlan plan_time(const Parameters& parameters, ForceBackend& backend);

}  // namespace multiwalk
