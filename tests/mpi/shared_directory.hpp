// SPDX-License-Identifier: GPL-3.0-or-later
// A directory that all ranks see, and the first ranks of the world.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/mpi/world.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk::test {

/// Made and removed by rank 0. Collective.
class SharedDirectory {
 public:
  SharedDirectory() {
    if (world().root()) own_.emplace();
    path_ = world().broadcast(own_ ? own_->path() : std::string());
  }
  ~SharedDirectory() { world().barrier(); }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Files in it, the same on every rank. Collective.
  [[nodiscard]] std::size_t count() const {
    world().barrier();
    const auto files = static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
    world().barrier();
    return files;
  }

 private:
  std::optional<TemporaryDirectory> own_;
  std::string path_;
};

/// Calls act(communicator) on the first `ranks` ranks; the others wait. Collective.
template <class Act>
void on_first_ranks(int ranks, Act act) {
  const bool in = world().rank() < ranks;
  const Communicator part = world().split(in ? 0 : 1);
  if (in) act(part);
  world().barrier();
}

/// Numbers of ranks to try: the world's and some below.
inline std::vector<int> rank_counts() {
  std::vector<int> counts;
  for (const int ranks : {1, 2, 5})
    if (ranks < world().size()) counts.push_back(ranks);
  counts.push_back(world().size());
  return counts;
}

/// Rank `rank` of `ranks` has the rows [begin(rank), begin(rank + 1)) of n: very uneven, rank 1 of three or more none.
inline std::size_t uneven_begin(std::size_t n, int rank, int ranks) {
  if (rank >= ranks) return n;
  if (ranks > 2 && rank == 2) --rank;
  return n * static_cast<std::size_t>(rank * rank) / static_cast<std::size_t>(ranks * ranks);
}

}  // namespace multiwalk::test
