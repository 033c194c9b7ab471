// SPDX-License-Identifier: GPL-3.0-or-later
// The four strategies of Hamada et al. (2009), Fig. 1, on the same particles, by direct summation and by tree, and
// walks made by the device; and scans of what a tree's speed depends on (their Figs. 5 and 6): the group size, the
// number of walking threads, and who walks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/bench/force_bench.hpp"

namespace multiwalk {

/// A way to distribute the pairs of walks over a processor.
struct Strategy {
  const char* name;
  const char* backend;
  const char* how;  ///< in one line
  bool one_walk;    ///< a launch evaluates one walk: direct summation is then one walk of all particles
  bool needs_device;
  bool device_walks;  ///< in trees: direct summation has no walks to be made
};

inline constexpr std::array<Strategy, 5> strategies{
    {{"i-parallel", "cuda-i", "one walk per launch, one GPU thread per target (Nyland et al. 2007)", true, true, false},
     {"j-parallel", "cuda-j", "one walk per launch, its sources split over blocks, sums added (Hamada & Iitaka 2007)",
      true, true, false},
     {"multi-walk", "cuda", "many walks per launch, one block per walk (Hamada et al. 2009)", false, true, false},
     {"device walks", "cuda-resident", "multi-walk, walks made by the device", false, true, true},
     {"CPU", "cpu", "each thread evaluates the walks it made with its SIMD units", false, false, false}}};

struct StrategyTask {
  BenchTask evaluation;  ///< law, options of the tree, repeats, sample and seed for all
  std::uint64_t direct_particles = 65536, tree_particles = 4194304;
  std::vector<int> devices;                ///< the first for the strategies, all for the scans; none: chosen
  std::string scanned_backend = "auto";    ///< auto, cuda or cpu
  std::vector<std::uint32_t> group_sizes;  ///< to be scanned
  std::vector<int> threads;                ///< walking threads to be scanned
};

/// 1, 2, 4, ... and `most`.
std::vector<int> scanned_threads(int most);

/// Measures everything on Plummer spheres, on one rank; `tell` is called with what comes next. A strategy without a
/// device is a row that says so. The result: {machine, model, softening, theta, ..., strategies: [{strategy, backend,
/// problem, particles, measured, why, seconds, pairs_per_second, gflops, error: {median, p90, p99, max, sample}, ...}],
/// scans: {backend, particles, group_size: {rows: [{value, seconds, walking, hidden_walking, ..., error}], fastest},
/// threads: the same, device_walks: {backend, description, why, threads: the same, threads_resident: the same with
/// particles that stay on the device}}}; scans is null where no values are given, device_walks where the scans are on
/// the CPU or no numbers of threads are given. Throws InputError if the scans' back end does not work.
nlohmann::json compare_strategies(const StrategyTask& task, const std::function<void(const std::string&)>& tell);

/// The index of the row that took the least time. `rows` is not empty.
std::size_t fastest_row(const nlohmann::json& rows);

/// Tables for people.
std::string strategy_text(const nlohmann::json& comparison);

}  // namespace multiwalk
