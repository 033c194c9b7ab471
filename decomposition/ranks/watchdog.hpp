// SPDX-License-Identifier: GPL-3.0-or-later
// Ends the job when one of its ranks dies, whatever the launcher does.
//
// Rank r holds TCP connections to r - 1 and (r - 1) / 2: a line and a binary tree, which any one death leaves
// connected. The kernel closes the connections of a process that dies, and finds a host dead in 40 seconds; a rank that
// is merely slow, stopped or in MPI_Finalize keeps them. A thread blocks in poll() and calls no MPI.
#pragma once

#include <memory>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

class Watchdog {
 public:
  /// Collective. If there is no network between the ranks, it warns once (on rank 0) and watches nothing.
  explicit Watchdog(const Communicator& comm);
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog();

  /// From now on this rank may end without alarm; it still watches the others.
  void say_goodbye();
  /// Makes all other ranks exit with this code, without a message, unless the launcher ends them first.
  void end_others(int exit_code);

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace multiwalk
