// SPDX-License-Identifier: GPL-3.0-or-later
// The launcher of this process, as far as the environment shows it. Scripts pass its variables on to whatever they
// call, so they are only hints: a task of a farm has them too, and they outlive the launcher.
#pragma once

#include <functional>
#include <string>

namespace multiwalk {

struct Launch {
  bool any = false;     ///< there is a sign of a launcher, and MPI may join its processes
  bool broken = false;  ///< PMI_FD names a connection to MPICH's launcher that is closed: MPI would end the process
  int tasks = 1;        ///< processes that it started together
  int task = 0;         ///< the number of this one
};

/// `environment`: "NAME=VALUE", ended by null. `connected(descriptor)`: whether it is a socket whose other end is open.
Launch launch_in(const char* const* environment, const std::function<bool(int)>& connected);

/// This process's. If it is broken, MPI's variables are removed from the environment first.
Launch this_launch();

/// What this process was started as, a part of a sentence; empty if it was started alone.
std::string copies_text(const Launch& launch);

}  // namespace multiwalk
