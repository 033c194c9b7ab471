// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters on which the speed of direct summation depends: on a device the strategy, the shape of the grid and
// the size of messages; on the CPU the loop, the accumulation and the threads.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/bench/direct_bench.hpp"

namespace multiwalk {

struct DirectScanTask {
  DirectBenchTask bench;                                           ///< bodies, softening, repeats, sample, seed
  double longest = 2;                                              ///< s: slower summations are left out
  std::vector<unsigned> block_sizes{32, 64, 128, 256, 512, 1024};  ///< threads of a block
  std::vector<unsigned> grid_sizes{16, 33, 66, 132, 264, 528, 1056, 2112};  ///< blocks
  std::vector<std::size_t> messages;  ///< bytes; empty: 1 kB to 256 MB by factors of 4
};

/// On one device, times of kernels alone: {strategies: [row], shapes: {particles, rows: [row with threads, blocks]},
/// copies: [{bytes, to_device: {locked, pageable}, to_host: {locked, pageable}}], in bytes/s}. A row is {name,
/// particles, measured, seconds, pairs_per_second, gflops, error (maximum), of_best}; figures are null where not
/// measured, of_best is the share of the fastest row with as many bodies. Shapes follow sections 3 and 4 of Schive et
/// al. (2008), with the most bodies of the task.
nlohmann::json scan_device(const DirectScanTask& task, int device, const Tell& tell);

/// On the CPU, host arrays to host arrays: {cpu: [row with loop, threads, accumulation, of_scalar]}: the scalar
/// double-precision loop, then the SIMD loops of `instruction_set` (as make_simd_direct_backend) with every
/// accumulation on 1, 2, 4, ... and `threads` threads. of_scalar: how many times the speed of the scalar loop.
nlohmann::json scan_cpu(const DirectScanTask& task, const std::string& instruction_set, int threads, const Tell& tell);

/// Either result with {softening2, operations_per_pair} as tables.
std::string direct_scan_text(const nlohmann::json& result);

}  // namespace multiwalk
