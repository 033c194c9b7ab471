// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run fits where it is started: into memory, devices and the disk of its directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "run/machine/memory_room.hpp"
#include "run/parameters/parameters.hpp"
#include "run/plan/memory_plan.hpp"

namespace multiwalk {

/// The shape of a run on this machine, with these ranks and, if its back end uses devices and there are some, one for
/// each rank.
RunShape planned_shape(const Parameters& parameters, int ranks);

/// The largest ic.grid whose run fits into `room`, for models that have one; nothing if even the smallest does not fit.
std::optional<std::uint32_t> largest_grid(const Parameters& parameters, const RunShape& shape, double room);

/// Throws InputError if the memory that plan_memory predicts clearly exceeds what there is, naming the cause and the
/// largest grid that fits. Returns a warning if the run fits only just.
std::string judge_run_memory(const Parameters& parameters, const RunShape& shape, const MemoryRoom& room);

/// The number of times at which a new run makes outputs.
std::uint64_t planned_outputs(const Parameters& parameters);

/// Bytes of the files that the run has written at the end, at least: those at `outputs` times and one checkpoint.
double planned_files(const Parameters& parameters, std::uint64_t particles, std::uint64_t outputs);

/// Throws InputError if the disk of a file or directory, which need not exist yet, has no room for this many bytes.
void require_disk(const std::string& path, double bytes);

}  // namespace multiwalk
