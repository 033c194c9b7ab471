// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/memory_room.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "decomposition/ranks/agree.hpp"
#include "run/files/printable.hpp"
#include "run/machine/memory_limit.hpp"

namespace multiwalk {

MemoryRoom memory_room(const Communicator& comm) {
  const int sharers = comm.on_this_host().size();
  const std::uint64_t usable = usable_memory(), own = allocatable_memory();
  const double share = usable == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(usable) / sharers;
  MemoryRoom room;
  room.bytes = std::min(share, own == UINT64_MAX ? share : static_cast<double>(own));
  room.available = std::min(room.bytes, static_cast<double>(free_memory()) / sharers);
  room.whose = room.bytes < share ? fmt::format("ulimit -v or -d leaves this process {}", size_text(room.bytes))
                                  : fmt::format("this machine, or the control group of this process, has {}{}",
                                                size_text(static_cast<double>(usable)),
                                                sharers > 1 ? fmt::format(", which {} ranks share", sharers) : "");
  const double least = comm.min(room.bytes);
  const int who = comm.min(room.bytes == least ? comm.rank() : comm.size());
  return {least, comm.min(room.available), comm.broadcast(room.whose, who)};
}

std::string size_text(double bytes) {
  constexpr double mib = 1024.0 * 1024, gib = 1024 * mib;
  if (bytes < gib) return fmt::format("{:.1f} MiB", bytes / mib);
  return fmt::format("{:.{}f} GiB", bytes / gib, bytes < 100 * gib ? 1 : 0);
}

void require_memory(double bytes, const std::string& what, const Communicator& comm) {
  const double most = comm.max(bytes);
  const MemoryRoom room = memory_room(comm);
  if (most <= room.available) return;
  const std::string needs =
      fmt::format("{} needs about {} of memory{}", what, size_text(most), comm.alone() ? "" : " on each rank");
  if (most > room.bytes) throw SharedError(fmt::format("{}, but {}", needs, room.whose));
  if (comm.root()) {
    warn_on_stderr(
        fmt::format("{}, and only {} are free now, beside other programs", needs, size_text(room.available)));
  }
}

}  // namespace multiwalk
