// SPDX-License-Identifier: GPL-3.0-or-later
// How a thread adds up pair terms (host/direct/direct_backend.hpp: Accumulation), for any interaction.
#pragma once

#include "host/direct/direct_backend.hpp"
#include "host/simd/pair_interaction.hpp"

namespace multiwalk {

/// to[c] += from[c] for every number of the two records.
template <class To, class From, class ToRecord, class FromRecord>
__device__ void add_numbers(ToRecord& to, const FromRecord& from) {
  constexpr unsigned values = sizeof(ToRecord) / sizeof(To);
  static_assert(values == sizeof(FromRecord) / sizeof(From));
  auto* const a = reinterpret_cast<To*>(&to);
  const auto* const b = reinterpret_cast<const From*>(&from);
#pragma unroll
  for (unsigned c = 0; c < values; ++c) a[c] += static_cast<To>(b[c]);
}
template <class Real, class Record>
__device__ void add_record(Record& to, const Record& from) {
  add_numbers<Real, Real>(to, from);
}

/// The sum of one target. end_of_part() is called after each 128 pairs or fewer.
template <class Interaction, class Real, Accumulation mode>
class PairAccumulator {
  using Sum = typename Interaction::template Sum<Real>;
  using Target = typename Interaction::template Target<Real>;
  using Source = typename Interaction::template Source<Real>;
  using Total = typename Interaction::template Sum<double>;

 public:
  __device__ void add(const Interaction& pair, const Target& target, const Source& source) {
    if constexpr (mode == Accumulation::compensated) {
      Sum term{};
      pair(target, source, term);
      add_compensated(term);
    } else {
      pair(target, source, part_);
    }
  }
  __device__ void end_of_part() {
    if constexpr (mode == Accumulation::chamomile) add_record<Real>(single_, part_);
    if constexpr (mode == Accumulation::mixed) add_numbers<double, Real>(total_, part_);
    if constexpr (mode == Accumulation::chamomile || mode == Accumulation::mixed) part_ = {};
  }
  [[nodiscard]] __device__ Total total() const {
    if constexpr (mode == Accumulation::mixed) return total_;
    Total result{};
    if constexpr (mode == Accumulation::chamomile) {
      add_numbers<double, Real>(result, single_);
    } else {
      add_numbers<double, Real>(result, part_);
    }
    return result;
  }

 private:
  /// Kahan (1965); `single_` holds what is to be subtracted from the next term.
  __device__ void add_compensated(const Sum& term) {
    auto* const sum = reinterpret_cast<Real*>(&part_);
    auto* const excess = reinterpret_cast<Real*>(&single_);
    const auto* const added = reinterpret_cast<const Real*>(&term);
#pragma unroll
    for (unsigned c = 0; c < sizeof(Sum) / sizeof(Real); ++c) {
      const Real y = added[c] - excess[c];
      const Real t = sum[c] + y;
      excess[c] = (t - sum[c]) - y;
      sum[c] = t;
    }
  }

  Sum part_{}, single_{};
  Total total_{};
};

}  // namespace multiwalk
