// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that snapshots belong to one run: merger trees through snapshots of different runs are meaningless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

/// Throws InputError naming both files if box, cosmology or number of particles differ by more than 1e-5.
void expect_one_run(const SnapshotInfo& a, const std::string& path_a, const SnapshotInfo& b, const std::string& path_b);

class OneHistory {
 public:
  /// The next snapshot in time with its particles. Throws SharedError naming both files if what
  /// expect_one_run compares, or the particles' ids, differ from those of the snapshot before. Returns a warning if the
  /// particles have not moved the way their velocities pointed, as if the seeds differed; else an empty text.
  /// Collective.
  std::string add(const SnapshotInfo& info, const std::string& path, const Communicator& comm);

 private:
  /// A particle that is compared in every snapshot.
  struct Witness {
    std::uint64_t id;
    Vec3d x, p;
  };
  struct Seen {
    std::string path;
    SnapshotInfo info;               ///< without particles
    std::uint64_t ids = 0;           ///< sum of their hashes
    std::vector<Witness> witnesses;  ///< by rising id, on rank 0
  };

  static Seen look(const SnapshotInfo& info, const std::string& path, const Communicator& comm);
  static double correlation(const Seen& before, const Seen& now);

  std::optional<Seen> last_;
};

}  // namespace multiwalk
