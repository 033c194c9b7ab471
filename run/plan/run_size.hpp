// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run fits where it is started: into memory, devices and the disk of its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/machine/memory_room.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// How a run is made; figures of memory are those of one rank.
struct RunShape {
  int ranks = 1;
  int devices = 0;            ///< of each rank
  bool device_walks = false;  ///< cuda-resident
  double program = 0;         ///< bytes that it takes without particles
  double device_room = 0;     ///< bytes of a device for each rank; 0: unknown
  bool only_begins = false;   ///< initial conditions are all that is made
};

/// That of a run here, on these ranks and, where there are some and its back end uses them, a device each.
RunShape planned_shape(const Parameters& parameters, int ranks);

/// plan_memory is right within 10%.
inline constexpr double plan_tolerance = 1.1;

/// Whether ic.grid sets the number of particles.
bool has_grid(const Parameters& parameters);

/// The largest ic.grid whose run fits into `room`, for models that have one; nothing if even the smallest does not fit.
std::optional<std::uint32_t> largest_grid(const Parameters& parameters, const RunShape& shape, double room);

/// Throws InputError if the memory that plan_memory foretells is clearly more than there is, naming what asks for it
/// and the largest grid that fits. Returns a warning if the run fits only just.
std::string judge_run_memory(const Parameters& parameters, const RunShape& shape, const MemoryRoom& room);

/// Bytes of a snapshot, at least.
double snapshot_bytes(std::uint64_t particles);

/// The number of times at which a new run makes outputs.
std::uint64_t planned_outputs(const Parameters& parameters);

/// Bytes of the files that the run has written at the end, at least: those at `outputs` times and one checkpoint.
double planned_files(const Parameters& parameters, std::uint64_t particles, std::uint64_t outputs);

/// Throws InputError if the disk of a file or directory that may not exist yet has no room for so many bytes.
void require_disk(const std::string& path, double bytes);

}  // namespace multiwalk
