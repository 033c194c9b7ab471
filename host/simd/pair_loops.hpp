// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of any pair interaction, for the instruction set that this text is compiled for. Sources are in the lanes
// of a vector; a few targets use each vector while it is in registers; a block of vectors stays in cache for many
// targets. Everything instantiated here carries the instruction set in its name, and nothing from the standard library
// is used.
#pragma once

#include <cstddef>
#include <type_traits>

#include "host/simd/pair_interaction.hpp"
#include "host/simd/simd_doubles.hpp"

namespace multiwalk::MULTIWALK_ISA {

template <class T>
struct LanesOf;
template <>
struct LanesOf<float> {
  using Vector = FloatLanes;
  using Packed = MULTIWALK_ISA::Packed;
  static constexpr int count = width;
};
template <>
struct LanesOf<double> {
  using Vector = DoubleLanes;
  using Packed = PackedDouble;
  static constexpr int count = double_width;
};

/// The parts of a pair interaction when numbers are of type T, one by one (Target, Source) or side by side (Wide).
template <class Pair, class T>
struct PairTypes {
  using Packed = typename LanesOf<T>::Packed;
  using Vector = typename LanesOf<T>::Vector;
  static constexpr int lanes = LanesOf<T>::count;
  using Target = typename Pair::template Target<T>;
  using Source = typename Pair::template Source<T>;
  using Sum = typename Pair::template Sum<double>;
  using WideTarget = typename Pair::template Target<Packed>;
  using WideSource = typename Pair::template Source<Packed>;
  using WideSum = typename Pair::template Sum<Packed>;
  static constexpr int target_values = static_cast<int>(record_values<Target, T>);
  static constexpr int source_values = static_cast<int>(record_values<Source, T>);
  static constexpr int sum_values = static_cast<int>(record_values<Sum, double>);
  static_assert(sizeof(WideSource) == source_values * sizeof(Vector) &&
                    sizeof(WideTarget) == target_values * sizeof(Vector) &&
                    sizeof(WideSum) == sum_values * sizeof(Vector),
                "records consist of numbers of one type only");
};

/// The numbers of a record, in order.
template <class T, class Record>
MULTIWALK_HOST_DEVICE T* numbers(Record& record) {
  return reinterpret_cast<T*>(&record);
}
template <class T, class Record>
MULTIWALK_HOST_DEVICE const T* numbers(const Record& record) {
  return reinterpret_cast<const T*>(&record);
}

/// Puts up to a vector's lanes of sources side by side; the last source fills the remaining lanes.
template <class Types>
void pack_sources(const typename Types::Source* source, std::size_t count, typename Types::WideSource& wide) {
  using T = std::remove_cvref_t<decltype(typename Types::Vector{}[0])>;
  T* to = numbers<T>(wide);
  for (int i = 0; i < Types::lanes; ++i) {
    const std::size_t j = static_cast<std::size_t>(i) < count ? static_cast<std::size_t>(i) : count - 1;
    for (int k = 0; k < Types::source_values; ++k) to[k * Types::lanes + i] = numbers<T>(source[j])[k];
  }
}

/// One sum for each lane, through all sources.
template <class Types>
struct PlainSums {
  using Kept = typename Types::Vector;  ///< from one block to the next
  static constexpr int kept_values = Types::sum_values;
  using WideSum = typename Types::WideSum;
  WideSum sum;

  MULTIWALK_HOST_DEVICE void begin(const Kept* kept) {
    for (int k = 0; k < kept_values; ++k) numbers<Kept>(sum)[k] = kept[k];
  }
  template <class Pair>
  MULTIWALK_HOST_DEVICE void add(const Pair& pair, const typename Types::WideTarget& target,
                                 const typename Types::WideSource& source) {
    pair(target, source, sum);
  }
  MULTIWALK_HOST_DEVICE void add(const WideSum& part) {
    for (int k = 0; k < kept_values; ++k) numbers<Kept>(sum)[k] += numbers<Kept>(part)[k];
  }
  MULTIWALK_HOST_DEVICE void end(Kept* kept) const {
    for (int k = 0; k < kept_values; ++k) kept[k] = numbers<Kept>(sum)[k];
  }
  static MULTIWALK_HOST_DEVICE double result(const Kept* kept, int k) { return total(kept[k]); }
};

/// Adds a block's sums to the sums of all blocks.
template <class Types>
struct ChamomileSums : PlainSums<Types> {
  using Base = PlainSums<Types>;
  using typename Base::Kept;

  MULTIWALK_HOST_DEVICE void begin(const Kept*) { this->sum = {}; }
  MULTIWALK_HOST_DEVICE void end(Kept* kept) const {
    for (int k = 0; k < Base::kept_values; ++k) kept[k] += numbers<Kept>(this->sum)[k];
  }
};

/// The same, with the sums of all blocks in double precision.
template <class Types>
struct MixedSums : PlainSums<Types> {
  using Base = PlainSums<Types>;
  using Kept = double;

  MULTIWALK_HOST_DEVICE void begin(const Kept*) { this->sum = {}; }
  MULTIWALK_HOST_DEVICE void end(Kept* kept) const {
    for (int k = 0; k < Base::kept_values; ++k) kept[k] += total(numbers<typename Base::Kept>(this->sum)[k]);
  }
  static MULTIWALK_HOST_DEVICE double result(const Kept* kept, int k) { return kept[k]; }
};

/// Kahan's sums: the rounding error of each addition is carried to the next term.
template <class Types>
struct CompensatedSums {
  using Kept = typename Types::Vector;
  static constexpr int values = Types::sum_values;
  static constexpr int kept_values = 2 * values;
  using WideSum = typename Types::WideSum;
  WideSum sum, carry;

  MULTIWALK_HOST_DEVICE void begin(const Kept* kept) {
    for (int k = 0; k < values; ++k) {
      numbers<Kept>(sum)[k] = kept[k];
      numbers<Kept>(carry)[k] = kept[values + k];
    }
  }
  template <class Pair>
  MULTIWALK_HOST_DEVICE void add(const Pair& pair, const typename Types::WideTarget& target,
                                 const typename Types::WideSource& source) {
    WideSum part{};
    pair(target, source, part);
    add(part);
  }
  MULTIWALK_HOST_DEVICE void add(const WideSum& part) {
    for (int k = 0; k < values; ++k) {
      Kept &s = numbers<Kept>(sum)[k], &c = numbers<Kept>(carry)[k];
      const Kept term = numbers<Kept>(part)[k] - c;
      const Kept next = s + term;
      c = (next - s) - term;
      s = next;
    }
  }
  MULTIWALK_HOST_DEVICE void end(Kept* kept) const {
    for (int k = 0; k < values; ++k) {
      kept[k] = numbers<Kept>(sum)[k];
      kept[values + k] = numbers<Kept>(carry)[k];
    }
  }
  static MULTIWALK_HOST_DEVICE double result(const Kept* kept, int k) {
    return total(kept[k]) - total(kept[values + k]);
  }
};

/// Vectors of sources that are paired with all targets before the next ones.
inline constexpr std::size_t block_vectors = 64;
/// Targets whose sums are held at once.
inline constexpr std::size_t target_chunk = 64;

/// Pairs `targets` targets with one block of sources, `last` of them in its last vector.
template <int targets, class Sums, class Types, class Pair>
void meet(const Pair& pair, const typename Types::Target* target, const typename Types::WideSource* source,
          std::size_t vectors, int last, typename Sums::Kept* kept) {
  using T = std::remove_cvref_t<decltype(typename Types::Vector{}[0])>;
  typename Types::WideTarget wide[targets];
  Sums sums[targets];
  for (int t = 0; t < targets; ++t) {
    for (int k = 0; k < Types::target_values; ++k) {
      numbers<typename Types::Vector>(wide[t])[k] = typename Types::Vector{} + numbers<T>(target[t])[k];
    }
    sums[t].begin(kept + t * Sums::kept_values);
  }
  const std::size_t whole = last < Types::lanes ? vectors - 1 : vectors;
  for (std::size_t j = 0; j < whole; ++j) {
    const typename Types::WideSource from = source[j];
    for (int t = 0; t < targets; ++t) sums[t].add(pair, wide[t], from);
  }
  if (whole < vectors) {
    for (int t = 0; t < targets; ++t) {
      typename Types::WideSum part{};
      pair(wide[t], source[whole], part);
      for (int k = 0; k < Types::sum_values; ++k) {
        auto& number = numbers<typename Types::Packed>(part)[k];
        number = first_lanes(number, last);
      }
      sums[t].add(part);
    }
  }
  for (int t = 0; t < targets; ++t) sums[t].end(kept + t * Sums::kept_values);
}

/// Sums over `sources` packed sources for at most `target_chunk` targets.
template <template <class> class Accumulate, class T, class Pair>
void sum_chunk(const Pair& pair, const typename Pair::template Source<typename LanesOf<T>::Packed>* source,
               std::size_t sources, const typename Pair::template Target<T>* target, std::size_t targets,
               typename Pair::template Sum<double>* sum) {
  using Types = PairTypes<Pair, T>;
  using Sums = Accumulate<Types>;
  constexpr auto values = static_cast<std::size_t>(Sums::kept_values);
  constexpr std::size_t lanes = Types::lanes, tile = targets_at_once;
  typename Sums::Kept kept[target_chunk * values];
  for (std::size_t k = 0; k < targets * values; ++k) kept[k] = typename Sums::Kept{};
  const std::size_t vectors = (sources + lanes - 1) / lanes;
  for (std::size_t first = 0; first < vectors; first += block_vectors) {
    const std::size_t count = vectors - first < block_vectors ? vectors - first : block_vectors;
    const std::size_t rest = sources - (first + count - 1) * lanes;
    const int last = static_cast<int>(rest < lanes ? rest : lanes);
    std::size_t t = 0;
    for (; t + tile <= targets; t += tile) {
      meet<targets_at_once, Sums, Types>(pair, target + t, source + first, count, last, kept + t * values);
    }
    for (; t < targets; ++t) meet<1, Sums, Types>(pair, target + t, source + first, count, last, kept + t * values);
  }
  for (std::size_t t = 0; t < targets; ++t) {
    for (int k = 0; k < Types::sum_values; ++k) numbers<double>(sum[t])[k] = Sums::result(kept + t * values, k);
  }
}

}  // namespace multiwalk::MULTIWALK_ISA
