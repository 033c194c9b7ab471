// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/threads/turns.hpp"

#include <mutex>
#include <thread>

#include "host/base/error.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

namespace {

/// Who uses MPI, and who runs which simulation. Lives until the process ends.
struct Users {
  ForkSafeMutex mutex;
  std::thread::id mpi_thread;
  int mpi_turns = 0;
};

Users& users() {
  static auto* const all = new Users;
  return *all;
}

}  // namespace

Turn::Turn(FairLock& lock) : lock_(lock) {
  if (lock.lock()) return;
  throw InputError(
      std::string("another thread used this object when this process was forked, so it cannot be used here: ") +
      spawn_advice);
}

MpiTurn::MpiTurn(bool with_mpi) : taken_(with_mpi) {
  if (!taken_) return;
  const std::lock_guard lock(users().mutex);
  if (users().mpi_turns > 0 && users().mpi_thread != std::this_thread::get_id()) {
    throw InputError(
        "another thread uses a communicator through multiwalk at this moment: make all calls of simulations on several "
        "ranks from one thread, or one after the other");
  }
  users().mpi_thread = std::this_thread::get_id();
  ++users().mpi_turns;
}

MpiTurn::~MpiTurn() {
  if (!taken_) return;
  const std::lock_guard lock(users().mutex);
  --users().mpi_turns;
}

void Running::begin(const std::string& call) {
  const std::lock_guard lock(users().mutex);
  if (forks_ != fork_count()) {
    throw InputError(call +
                     ": this simulation belongs to the process that made it; a forked process can read its particles. "
                     "To run it elsewhere, make it there, and " +
                     spawn_advice);
  }
  if (runs_ && runner_ == std::this_thread::get_id()) {
    throw InputError(call +
                     ": this simulation is running, and has called the function that asks for this; stop() ends "
                     "it after the function");
  }
  if (runs_) {
    throw InputError(call +
                     ": this simulation is running in another thread: wait for that, or give each thread a "
                     "simulation of its own");
  }
  runner_ = std::this_thread::get_id();
  runs_ = true;
}

void Running::end() {
  const std::lock_guard lock(users().mutex);
  runs_ = false;
}

}  // namespace multiwalk
