// Checkpoints: the exact state of a run, in checked blocks, the last two kept.
#pragma once

#include <cstdint>
#include <string>

#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Everything a run needs to go on bit for bit. `state` is the step loop's own JSON (accumulated report included).
struct Checkpoint {
  ParticleSystem system;
  std::string parameters;  ///< TOML, as echoed
  std::string state;       ///< JSON
  std::uint64_t step = 0;
};

/// Writes directory/checkpoint_STEP.mwc aside (per-block CRC-32), fsyncs, renames, fsyncs the directory. Then only this
/// one and the newest before it are kept: later steps stem from a damaged or abandoned run. Returns the path. Throws
/// Error; until the new checkpoint is on disk the old ones are untouched.
std::string write_checkpoint(const std::string& directory, const Checkpoint& checkpoint);

/// One checkpoint file. Throws InputError naming the file and the damaged block.
Checkpoint read_checkpoint(const std::string& path);

/// The newest checkpoint whose blocks all pass; `warning` tells which newer ones were damaged and why, else it is
/// empty. Throws InputError if none is good. Leftovers of interrupted writes are ignored.
Checkpoint read_newest_checkpoint(const std::string& directory, std::string& warning);

}  // namespace multiwalk
