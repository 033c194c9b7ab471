// SPDX-License-Identifier: GPL-3.0-or-later
// MPI for the lifetime of the program.
#pragma once

#include <optional>

#include "decomposition/ranks/communicator.hpp"
#include "decomposition/ranks/watchdog.hpp"

namespace multiwalk {

/// Starts MPI (MPI_THREAD_SERIALIZED) and ends it; one per process. Meanwhile a Watchdog watches the ranks. Throws
/// Error if MPI cannot start.
class MpiSession {
 public:
  MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

  /// All ranks of the job.
  [[nodiscard]] const Communicator& world() const { return world_; }
  /// Ends every rank of the job at once with this exit code.
  [[noreturn]] void abort(int exit_code);

 private:
  Communicator world_;
  std::optional<Watchdog> watchdog_;
};

}  // namespace multiwalk
