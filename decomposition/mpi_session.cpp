#include "decomposition/mpi_session.hpp"

#include <cstdlib>

#include "host/base/error.hpp"

namespace multiwalk {

MpiSession::MpiSession() {
  setenv("MPIR_CVAR_SUPPRESS_ABORT_MESSAGE", "1", 0);  // MPICH: our own line tells why a job ends
  int provided = 0;
  require(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS, "MPI cannot begin");
  require(provided >= MPI_THREAD_FUNNELED, "this MPI does not allow threads (MPI_THREAD_FUNNELED)");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  world_ = Communicator(MPI_COMM_WORLD);
}

MpiSession::~MpiSession() {
  world_ = {};
  MPI_Finalize();
}

void MpiSession::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace multiwalk
