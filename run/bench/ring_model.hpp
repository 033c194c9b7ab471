// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a step of direct summation on a ring of ranks: a model of measured parts and the steps themselves, after
// section 5 of Schive et al. (2008).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/direct/direct_backend.hpp"

namespace multiwalk {

/// A summation, host arrays to host arrays: over n bodies among themselves, or of two blocks of n over each other.
struct SumCost {
  std::uint64_t bodies = 0;
  double seconds = 0;
  double kernel_seconds = 0;  ///< of it the device's pairs; 0: not known
};

/// Seconds of the parts of a step, with jerks, in which all bodies move. With n = N / P bodies on a rank, messages of
/// m = t_latency + t_net n and k = floor((P - 1) / 2) steps of whole blocks,
///   T(N, P) = t_host n + max(S(n), m) + k max(B(n), 2 m) + [B(n / sqrt 2) if P is even] + [m if n < 32768];
///   T(N, 1) = t_host n + S(n):
/// bodies travel on, and sums on the way back, while others are summed over, the last sums where a rank has bodies
/// enough to keep some of its own for that time. On an even number of ranks opposite ones share their pairs, half a
/// block of both. S(n) and B(n), of one block and of two over each other, are measured and hold what Schive et al.
/// write as t_pair n^2 / efficiency(n) + t_pcie n: devices and threads are not full for small n. B(n) is a device's
/// time for the pairs where it is known, since copies are made beside them.
struct RingModel {
  double host = 0;            ///< t_host: prediction and correction, per body
  double pair = 0;            ///< t_pair: of the largest summation
  double pcie = 0;            ///< t_pcie: copies to and from a device, per body; 0 without one or if not known
  double latency = 0;         ///< t_latency: the least message between neighbours on the ring; 0 on one rank
  double net = 0;             ///< t_net: sending a body, or the sums on it, to the next rank, per body
  std::vector<SumCost> sums;  ///< S(n), rising n
  std::vector<SumCost> both;  ///< B(n), rising n; none on one rank

  /// S(n) and B(n), between the measured ones by powers of n.
  [[nodiscard]] double sum(double bodies) const;
  [[nodiscard]] double sum_both(double bodies) const;
  /// t_pair n^2 / S(n).
  [[nodiscard]] double efficiency(double bodies) const { return pair * bodies * bodies / sum(bodies); }
  [[nodiscard]] double step(double bodies, int ranks) const;
};

struct RingBenchTask {
  std::vector<std::uint64_t> particles{1024, 2048, 4096, 8192, 16384};
  std::vector<int> ranks;  ///< how many of the job's; empty: 1, 2, 4, ... and all
  double softening = 0.01;
  DirectPrecision precision;
  int steps = 3;             ///< timed, after a first one; the fastest counts
  double longest_sum = 0.3;  ///< s: summations are measured up to about so long
};

/// Measures the model's parts on this machine, then Hermite steps of Plummer spheres on these numbers of ranks. The
/// result is the same on every rank: {model: {t_host, t_pair, t_pcie, t_latency, t_net, sums: [{bodies, seconds,
/// kernel_seconds, efficiency}], both: [{bodies, seconds, kernel_seconds}]}, rows: [{particles, ranks, seconds:
/// {measured, mean, waiting, predicted}, efficiency: {measured, predicted}}]}: measured is the fastest step, waiting a
/// step's for messages on average; the efficiency of ranks is T(N, 1) / (P T(N, P)). Collective.
nlohmann::json bench_ring(const RingBenchTask& task, DirectBackend& backend, const Communicator& comm);

/// The result as a table.
std::string ring_text(const nlohmann::json& result);

}  // namespace multiwalk
