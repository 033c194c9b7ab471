// MPI for the life of the program.
#pragma once

#include "decomposition/communicator.hpp"

namespace multiwalk {

/// Begins MPI (MPI_THREAD_FUNNELED) and ends it; one per process. Throws Error if MPI cannot begin.
class MpiSession {
 public:
  MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

  /// All ranks of the job.
  [[nodiscard]] const Communicator& world() const { return world_; }
  /// Ends every rank of the job at once with this exit code.
  [[noreturn]] void abort(int exit_code) const;

 private:
  Communicator world_;
};

}  // namespace multiwalk
