// SPDX-License-Identifier: GPL-3.0-or-later
// A description of this machine, for reports and --version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

struct Machine {
  std::string cpu;           ///< model name
  unsigned cores = 0;        ///< logical cores this process may use
  std::uint64_t memory = 0;  ///< bytes that this process may use (usable_memory)
  std::vector<std::string> gpus;
  std::string system;    ///< distribution and kernel
  std::string compiler;  ///< that built this program
};

Machine this_machine();
/// The host's name in the network.
std::string host_name();

/// One line, e.g. "AMD EPYC 9654, 2 cores, 16 GiB; 8 x NVIDIA H200; Debian GNU/Linux 12, Linux 6.1; g++ 12.2.0".
std::string describe(const Machine& machine);

/// describe(this_machine()) of rank 0, with the number of hosts if there are several. Collective.
std::string machine_description(const Communicator& comm = {});

/// "2026-11-22 02:00:00 UTC".
std::string now_as_text();

/// Threads for a share of cores: with four cores or more, `others` are left to equally busy threads.
int threads_of_share(double cores, int others);

/// Sets the number of threads of parallel regions. Throws InputError beyond most_threads(); `what` names the setting
/// that asked for it.
void use_threads(int threads, const std::string& what);
/// Reduces OMP_NUM_THREADS to most_threads() if it is larger, with a line on standard error.
void limit_threads();

/// The default number of a rank's threads: OMP_NUM_THREADS, or its share of the cores that it may use. On one rank,
/// OpenMP's choice. Collective.
int default_threads(const Communicator& comm, int others = 0);

}  // namespace multiwalk
