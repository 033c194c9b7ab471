// SPDX-License-Identifier: GPL-3.0-or-later
// What threads of Python may not do at the same time. Wait for a turn only without the interpreter's lock.
#pragma once

#include <string>
#include <thread>

#include "decomposition/ranks/communicator.hpp"
#include "host/threads/fair_lock.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

/// The use of one object; other threads wait.
class Turn {
 public:
  /// Throws InputError in a forked process if another thread of its parent used the object.
  explicit Turn(FairLock& lock);
  ~Turn() { lock_.unlock(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  FairLock& lock_;
};

/// The use of MPI, unless `comm` is one rank without it. Threads that waited for each other could do so in another
/// order on another rank, for ever, so a second one is refused.
class MpiTurn {
 public:
  /// Throws InputError if another thread uses MPI through this module, Error in a process forked since MPI started.
  explicit MpiTurn(const Communicator& comm) : MpiTurn(comm.native() != MPI_COMM_NULL) {}
  explicit MpiTurn(bool with_mpi);
  ~MpiTurn();
  MpiTurn(const MpiTurn&) = delete;
  MpiTurn& operator=(const MpiTurn&) = delete;

 private:
  bool taken_;
};

/// Whether a simulation's run() or step() is under way.
class Running {
 public:
  /// `call`: the name of what wants to begin now, such as "run()". Throws InputError where one is under way already, in
  /// this thread or another, and in a forked process, where its parent's runs stay as they are.
  void begin(const std::string& call);
  void end();

  /// From its making to its end.
  struct Until {
    Until(Running& running, const std::string& call) : running_(running) { running.begin(call); }
    ~Until() { running_.end(); }
    Until(const Until&) = delete;
    Until& operator=(const Until&) = delete;

   private:
    Running& running_;
  };

 private:
  std::thread::id runner_;
  bool runs_ = false;
  unsigned forks_ = fork_count();
};

}  // namespace multiwalk
