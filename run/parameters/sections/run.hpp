// SPDX-License-Identifier: GPL-3.0-or-later
// [run] and [decomposition]: where a run writes, what it computes with, and when it stops.
#pragma once

#include <string>
#include <vector>

#include "run/backends/who_walks.hpp"
#include "run/parameters/parameter_key.hpp"

namespace multiwalk {

struct RunParameters {
  std::string directory = "run";
  std::string title = "Multiwalk run";
  std::string backend = "auto";
  WhoWalks walks = WhoWalks::automatic;
  bool deterministic = false;
  int threads = 0;
  std::vector<int> devices;
  double wall_limit = 0;          ///< hours
  double checkpoint_every = 0.5;  ///< hours
  int checkpoints_kept = 2;
  bool final_checkpoint = true;

  void describe(const auto& key) {
    key("run.directory", directory, "directory that receives everything the run writes").is(Quantity::path);
    key("run.title", title, "heading of the report");
    key("run.backend", backend, {"auto", "cpu", "cuda", "cuda-resident", "direct", "ewald"},
        "back end that evaluates forces; auto: GPUs (cuda) if they work and an evaluation has at least 100,000 pairs, "
        "else the CPU; cuda-resident: another name for cuda with run.walks = \"device\"; direct and ewald (periodic "
        "boxes): sums over all pairs in double precision");
    key.trees()("run.walks", walks, who_walks_words,
                "who walks the tree for GPUs: a GPU by itself, which then also keeps the particles (device), or "
                "threads of the host (host); auto: GPUs where they can, that is if each rank has one GPU and at least "
                "20,000 particles; else the host")
        .only(backend == "auto" || backend.starts_with("cuda"), "for GPUs");
    key("run.threads", threads,
        "OpenMP threads of each rank; auto: the cores of its machine, shared by the ranks there, minus one for "
        "messages "
        "if several ranks sum directly on GPUs",
        Range::between(0, 65536))
        .auto_is(0);
    key("run.deterministic", deterministic, "choose nothing by timing, so that a repeated run ends with the same bits");
    key("run.devices", devices,
        "numbers of the CUDA devices to use on each machine, which its ranks share, such as [0, 1]; []: one for each "
        "rank, "
        "in turn",
        Range::between(0, 1023));
    key("run.wall_limit", wall_limit,
        "end with a checkpoint before this wall time, provided that no step (or block of steps) takes longer than the "
        "one before; 0: no limit",
        Range::from(0), "h");
    key("run.checkpoint_every", checkpoint_every, "wall time between checkpoints; 0: only when the run ends",
        Range::from(0), "h");
    key("run.checkpoints_kept", checkpoints_kept, "number of the newest checkpoints to keep", Range::between(1, 2));
    key("run.final_checkpoint", final_checkpoint,
        "write a checkpoint also at the last redshift or time, from which the run can go on if that is changed; a run "
        "that ends earlier, or makes a light cone or merger trees, always writes one");
  }
};

struct DecompositionParameters {
  std::vector<int> grid;
  double max_memory_imbalance = 1.3;

  void describe(const auto& all) {
    const auto key = all.not_direct();
    key("decomposition.grid", grid,
        "domains along x, y and z, e.g. [8, 4, 4], one for each rank; []: chosen automatically",
        Range::between(1, 1e6));
    key("decomposition.max_memory_imbalance", max_memory_imbalance,
        "largest allowed number of particles on a rank / mean", Range::above(1, 1e6));
  }

  void check(const auto& must) const {
    must(grid.empty() || grid.size() == 3, {"decomposition.grid"},
         "decomposition.grid needs three numbers of domains, along x, y and z, such as [8, 4, 4]");
  }
};

}  // namespace multiwalk
