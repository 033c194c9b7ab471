// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of any pair interaction on the SIMD units, compiled into the program that uses them: with its machine's flags
// (-march=native) vectors are as wide as possible. How to add an interaction: host/direct/PAIR_INTERACTIONS.md.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>

#include "host/base/aligned_buffer.hpp"
#include "host/base/error.hpp"
#include "host/direct/direct_backend.hpp"
#include "host/simd/pair_interaction.hpp"
#include "host/simd/pair_loops.hpp"

namespace multiwalk::MULTIWALK_ISA {

template <class Pair, std::floating_point T>
class PairSum {
 public:
  using Types = PairTypes<Pair, T>;
  using Targets = std::span<const typename Types::Target>;
  using Sources = std::span<const typename Types::Source>;
  using Sums = std::span<typename Types::Sum>;

  PairSum(const Pair& pair, Sources sources) : pair_(pair), sources_(sources.size()) {
    constexpr std::size_t lanes = Types::lanes;
    const std::size_t vectors = (sources_ + lanes - 1) / lanes;
    wide_ = packed_.reserve(vectors);
#pragma omp parallel for schedule(static) if (vectors > 1024)
    for (std::size_t v = 0; v < vectors; ++v) {
      pack_sources<Types>(sources.data() + v * lanes, std::min(lanes, sources_ - v * lanes), wide_[v]);
    }
  }

  template <template <class> class Accumulate>
  void sum(Targets targets, Sums sums) const {
    const std::size_t n = targets.size(), chunks = (n + target_chunk - 1) / target_chunk;
#pragma omp parallel for schedule(dynamic, 1) if (n * sources_ > 400'000)
    for (std::size_t c = 0; c < chunks; ++c) {
      const std::size_t first = c * target_chunk, count = std::min(target_chunk, n - first);
      sum_chunk<Accumulate, T>(pair_, wide_, sources_, targets.data() + first, count, sums.data() + first);
    }
  }

 private:
  Pair pair_;
  std::size_t sources_;
  AlignedBuffer<typename Types::WideSource> packed_;
  typename Types::WideSource* wide_;
};

/// sums[i] = sum over all sources of pair(targets[i], source), with OpenMP threads. T is the type of the records'
/// numbers: float, added up according to `accumulation` (any but `full`), or double, for which `accumulation` has no
/// effect. Throws Error if there are not as many sums as targets.
template <std::floating_point T, PairInteraction Pair>
void pair_sum(const Pair& pair, std::span<const typename Pair::template Target<T>> targets,
              std::span<const typename Pair::template Source<T>> sources, Accumulation accumulation,
              std::span<typename Pair::template Sum<double>> sums) {
  require(sums.size() == targets.size(), "pair_sum: as many sums as targets are needed");
  const PairSum<Pair, T> all(pair, sources);
  if constexpr (std::same_as<T, double>) {
    all.template sum<PlainSums>(targets, sums);
  } else {
    require(accumulation != Accumulation::full, "pair_sum: full precision needs records of double");
    if (accumulation == Accumulation::plain) all.template sum<PlainSums>(targets, sums);
    if (accumulation == Accumulation::chamomile) all.template sum<ChamomileSums>(targets, sums);
    if (accumulation == Accumulation::compensated) all.template sum<CompensatedSums>(targets, sums);
    if (accumulation == Accumulation::mixed) all.template sum<MixedSums>(targets, sums);
  }
}

}  // namespace multiwalk::MULTIWALK_ISA

namespace multiwalk {
using MULTIWALK_ISA::pair_sum;
}
