// SPDX-License-Identifier: GPL-3.0-or-later
#include "decomposition/ranks/agree.hpp"

namespace multiwalk {

void agree_on_success(const Communicator& comm, const std::optional<std::string>& failure) {
  const int mine = failure ? comm.rank() : comm.size();
  const int first = comm.min(mine);
  if (first == comm.size()) return;
  throw SharedError(comm.broadcast(failure.value_or(""), first));
}

}  // namespace multiwalk
