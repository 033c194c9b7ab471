// SPDX-License-Identifier: GPL-3.0-or-later
// Error and speed of direct summation by accumulation and splitting: the two tables of Hamada & Iitaka (2007).
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/direct/direct_backend.hpp"

namespace multiwalk {

struct DirectBenchTask {
  std::vector<std::uint64_t> particles{2048, 4096, 8192, 16384, 32768, 65536, 131072};
  double softening = 0.1;       ///< eps^2 = 0.01 as in the paper
  bool jerk = false;            ///< beside acceleration and potential
  int repeats = 3;              ///< after a warm one; the fastest counts
  int in_a_row = 1;             ///< evaluations on a device of which the kernel's time is the mean
  double patience = 10;         ///< s: a summation is not repeated after this time in all
  std::uint64_t sample = 4096;  ///< particles whose forces are compared with double precision
  std::uint64_t seed = 1;
};

/// Receives a line that says what is measured next.
using Tell = std::function<void(const std::string&)>;

/// Sums over Plummer spheres with every accumulation, and hi_lo splitting besides the single one. Returns
/// {softening2, jerk, operations_per_pair, rows: [{particles, accumulation, splitting, sample, error: {max, median,
/// jerk_max}, seconds: {call, launch, kernel}, pairs_per_second: the same, gflops: the same, paper: {error,
/// gflops}}]}. `call` is from host arrays to host arrays, `launch` of one evaluation by itself on the device, `kernel`
/// the mean of many in a row; these are null if the back end does not report them, `paper` if Hamada & Iitaka (2007)
/// give no figure that we know.
nlohmann::json bench_direct(const DirectBenchTask& task, DirectBackend& backend, const Tell& tell);

/// The result as two tables.
std::string direct_bench_text(const nlohmann::json& result);

}  // namespace multiwalk
