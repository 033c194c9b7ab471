// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints: the exact state of a run, in checked blocks, a file per rank, the last two kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/particles/bodies.hpp"
#include "host/particles/particle_system.hpp"

namespace multiwalk {

/// Calls act(name, array) for every array of bodies and of what a direct integrator keeps of each.
template <class AnyBodies, class Rungs, class Act>
void for_each_body_array(AnyBodies& bodies, Rungs& rung, Act&& act) {
  act("position", bodies.position);
  act("velocity", bodies.velocity);
  act("acceleration", bodies.acceleration);
  act("jerk", bodies.jerk);
  act("mass", bodies.mass);
  act("potential", bodies.potential);
  act("id", bodies.id);
  act("rung", rung);
}

struct IntegratedBodies {
  Bodies bodies;
  std::vector<std::uint8_t> rung;  ///< (N), or empty where steps are not blocks

  [[nodiscard]] std::size_t size() const { return bodies.size(); }
  template <class Act>
  void for_each_array(Act&& act) {
    for_each_body_array(bodies, rung, act);
  }
  template <class Act>
  void for_each_array(Act&& act) const {
    for_each_body_array(bodies, rung, act);
  }
};

/// Bytes that parts of a run want to have back, by name of at most 15 characters.
using CheckpointBlobs = std::map<std::string, std::vector<std::byte>, std::less<>>;

/// Everything a run needs to continue bit for bit. `state` is the step loop's own JSON, including the report so far.
struct Checkpoint {
  ParticleSystem system;   ///< this rank's particles
  std::string parameters;  ///< TOML, as echoed; rank 0's are kept
  std::string state;       ///< JSON; rank 0's is kept
  std::uint64_t step = 0;
  int ranks = 1;                                ///< that wrote it; set by reading
  std::optional<IntegratedBodies> direct = {};  ///< of a direct run, in place of particles, on all ranks
  CheckpointBlobs blobs = {};                   ///< on rank 0
};

/// A view of a run's state: a copy of its particles might not fit into memory.
struct CheckpointView {
  const ParticleSystem& system;
  std::string parameters, state;
  std::uint64_t step = 0;
  const Bodies* bodies = nullptr;  ///< of a direct run
  const std::vector<std::uint8_t>* rung = nullptr;
  const CheckpointBlobs* blobs = nullptr;  ///< on rank 0

  CheckpointView(const ParticleSystem& particles, std::string with_parameters, std::string with_state,
                 std::uint64_t at_step)
      : system(particles), parameters(std::move(with_parameters)), state(std::move(with_state)), step(at_step) {}
  CheckpointView(const Checkpoint& checkpoint)
      : CheckpointView(checkpoint.system, checkpoint.parameters, checkpoint.state, checkpoint.step) {
    blobs = &checkpoint.blobs;
    if (!checkpoint.direct) return;
    bodies = &checkpoint.direct->bodies;
    rung = &checkpoint.direct->rung;
  }
};

/// Writes directory/checkpoint_STEP.mwc (rank 0) and checkpoint_STEP.partRANK.mwc (the others) aside (per-block
/// CRC-32), fsyncs, renames, fsyncs the directory. Rank 0's file, which names its parts, is renamed last and makes the
/// checkpoint. Then only this one and the newest before it are kept: later steps stem from a damaged or abandoned run.
/// Returns rank 0's path. Collective. Throws SharedError; until every part is on disk the old ones are untouched.
std::string write_checkpoint(const std::string& directory, const CheckpointView& run, const Communicator& comm = {});

/// Rank 0's files of all checkpoints in a directory, newest first.
std::vector<std::string> checkpoints_in(const std::string& directory);

/// The parameters in rank 0's file. Throws InputError.
std::string checkpoint_parameters(const std::string& path);

/// Bytes of a checkpoint's files, by rank 0's; 0 if there is none.
std::uint64_t checkpoint_bytes(const std::string& path);

/// Leaves only the newest checkpoint of a directory up to `step`. Rank 0 does it. Collective.
void keep_one_checkpoint(const std::string& directory, std::uint64_t step, const Communicator& comm = {});

/// One checkpoint, by rank 0's file. As many ranks as wrote it get their own particles back, another number equal
/// shares of the rows. Collective. Throws SharedError naming the file and the block that is damaged or has impossible
/// values: checksums detect damage, but not values that were wrong when written.
Checkpoint read_checkpoint(const std::string& path, const Communicator& comm = {});

/// The newest checkpoint whose blocks all pass on every rank; `warning` names newer ones that were damaged, and why,
/// else it is empty. Collective. Throws SharedError if none is good. Leftovers of interrupted writes are ignored.
Checkpoint read_newest_checkpoint(const std::string& directory, std::string& warning, const Communicator& comm = {});

}  // namespace multiwalk
