// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/mpi_session.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "host/base/error.hpp"

namespace multiwalk {

MpiSession::MpiSession() {
  int provided = 0;
  require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) == MPI_SUCCESS, "MPI cannot start");
  require(provided >= MPI_THREAD_SERIALIZED, "this MPI does not allow threads (MPI_THREAD_SERIALIZED)");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  world_ = Communicator(MPI_COMM_WORLD);
  watchdog_.emplace(world_);
}

MpiSession::~MpiSession() {
  watchdog_->say_goodbye();
  world_ = {};
  MPI_Finalize();
}

void MpiSession::abort(int exit_code) {
  std::fflush(nullptr);
  watchdog_->end_others(exit_code);
  // A launcher may drop output that it has not passed on when MPI_Abort comes, and MPI's own line says nothing new.
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  if (std::freopen("/dev/null", "w", stderr) == nullptr) std::fclose(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace multiwalk
