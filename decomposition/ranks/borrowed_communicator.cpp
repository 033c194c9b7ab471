// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/borrowed_communicator.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  std::ranges::replace(line, '\t', ' ');
  return line;
}

std::string own_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return first_line({text.data(), static_cast<std::size_t>(length)});
}

bool started_before_fork = false;

/// In a forked process MPI looks as if it had been started, but its connections are the parent's.
void note_fork() {
  int started = 0;
  MPI_Initialized(&started);
  started_before_fork = started != 0;
}

const int watched = pthread_atfork(nullptr, nullptr, note_fork);

}  // namespace

Communicator borrow_communicator(const void* address, const std::string& their_mpi) {
  static_cast<void>(watched);
  if (started_before_fork) throw InputError(mpi_after_fork);
  int started = 0, ended = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  const std::string ours = own_mpi();
  // Two copies of a library do not know that the other one was started.
  if (started == 0 || first_line(their_mpi) != ours) {
    throw InputError("the communicator belongs to a different MPI library (" + first_line(their_mpi) +
                     ") from that of this module (" + ours + "): build one of them with the other's MPI");
  }
  if (ended != 0) throw InputError("the communicator cannot be used: MPI has ended");
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) {
    throw InputError(
        "MPI was started without thread support: start it with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
  }
  MPI_Comm theirs = MPI_COMM_NULL;
  std::memcpy(&theirs, address, sizeof theirs);
  if (theirs == MPI_COMM_NULL) throw InputError("the communicator is MPI_COMM_NULL: this rank is not part of it");
  return Communicator(theirs);
}

}  // namespace multiwalk
