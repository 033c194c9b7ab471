#include "decomposition/mpi_session.hpp"

#include <cstdlib>

#include "host/base/error.hpp"

namespace multiwalk {

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided = 0;
  require(MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS, "MPI_Init_thread failed");
  require(provided >= MPI_THREAD_FUNNELED, "this MPI does not allow threads (MPI_THREAD_FUNNELED)");
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
