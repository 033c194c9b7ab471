// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/trees/stored_trees.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "analysis/halos/halo_finder.hpp"
#include "decomposition/domains/domains.hpp"
#include "decomposition/ranks/agree.hpp"
#include "run/files/printable.hpp"
#include "run/snapshots/snapshot.hpp"
#include "run/trees/one_history.hpp"
#include "run/trees/tree_outputs.hpp"

namespace multiwalk {

namespace {

/// By rising time; each time once.
std::vector<std::pair<double, std::string>> in_order(const StoredTrees& stored, const Communicator& comm) {
  std::vector<double> times(stored.snapshots.size());
  collectively(comm, [&] {
    if (!comm.root()) return;
    SnapshotInfo first;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const SnapshotInfo info = read_snapshot_info(stored.snapshots[i], stored.unsaid);
      require_halos(info.system);
      if (i == 0) first = info;
      expect_one_run(first, stored.snapshots[0], info, stored.snapshots[i]);
      times[i] = info.system.time;
    }
    std::filesystem::create_directories(stored.directory);
  });
  comm.broadcast(std::span(times));
  std::vector<std::pair<double, std::string>> ordered;
  for (std::size_t i = 0; i < times.size(); ++i) ordered.emplace_back(times[i], stored.snapshots[i]);
  std::ranges::sort(ordered);
  for (std::size_t i = 1; i < ordered.size(); ++i) {
    if (ordered[i].first == ordered[i - 1].first)
      throw SharedError(ordered[i - 1].second + " and " + ordered[i].second +
                        " are of the same time: give one of them");
  }
  return ordered;
}

}  // namespace

std::int64_t follow_snapshots(const StoredTrees& stored, const Communicator& comm) {
  const std::vector<std::pair<double, std::string>> snapshots = in_order(stored, comm);
  Parameters parameters;
  parameters.trees.min_particles = stored.min_particles;
  parameters.cosmology = look_at_snapshot(snapshots.front().second, comm, stored.unsaid).cosmology;
  TreeOutputs trees(parameters, stored.directory, snapshots.front().first, snapshots.back().first, comm);
  OneHistory history;
  for (const auto& [time, path] : snapshots) {
    SnapshotInfo info = look_at_snapshot(path, comm, stored.unsaid);
    const std::string warning = history.add(info, path, comm);
    if (comm.root()) warn_on_stderr(warning);
    Domains domains(comm, {});
    if (!comm.alone()) domains.distribute(info.system.particles);
    const double softening = info.softening >= 0 ? info.softening : info.system.spacing / 25;
    trees.write({.comm = comm,
                 .parameters = parameters,
                 .particles = info.system,
                 .domains = domains.map().value_or(DomainMap()),
                 .softening = softening});
  }
  trees.finish();
  return trees.tracks();
}

}  // namespace multiwalk
