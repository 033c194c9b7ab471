// Checkpoints: the exact state of a run, in checked blocks, the last two kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Everything a run needs to go on bit for bit. `state` is the step loop's own JSON (accumulated report included).
struct Checkpoint {
  ParticleSystem system;
  std::string parameters;   ///< TOML, as echoed
  std::string state;        ///< JSON
  std::uint64_t step = 0;
};

/// Writes directory/checkpoint_STEP.mwc aside (per-block CRC-32), fsyncs, renames, fsyncs the directory and removes all
/// but the last two. Throws Error; an existing checkpoint is never harmed.
std::string write_checkpoint(const std::string& directory, const Checkpoint& checkpoint);

/// The newest checkpoint whose blocks all pass; `warning` tells which newer one was damaged. Throws InputError if none.
Checkpoint read_newest_checkpoint(const std::string& directory, std::string& warning);

}  // namespace multiwalk
