// SPDX-License-Identifier: GPL-3.0-or-later
// The memory that this process may use: the machine's, or less in a container or a job of a batch system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>

namespace multiwalk {

/// Bytes: the machine's memory or, if that is less, the limit of the process's control groups (Linux, versions 1 and
/// 2). 0: unknown.
std::uint64_t usable_memory();

/// Bytes that this process may allocate beyond what it has (ulimit -v and -d); UINT64_MAX: as many as there are.
std::uint64_t allocatable_memory();

/// Bytes of this process in memory now.
std::uint64_t resident_memory();

/// Bytes that programs can take now without making others give theirs up (MemAvailable); UINT64_MAX: unknown.
std::uint64_t free_memory();

/// The least limit in bytes of the groups that `membership` names (as /proc/self/cgroup does) and of those around them,
/// where control groups are mounted at `root`; UINT64_MAX: none.
std::uint64_t group_memory_limit(std::istream& membership, const std::filesystem::path& root);

}  // namespace multiwalk
