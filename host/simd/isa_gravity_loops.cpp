// SPDX-License-Identifier: GPL-3.0-or-later
// Direct gravity for the instruction set this file is compiled for. As in isa_kernels.cpp, nothing here may instantiate
// a shared template out of line.
#include "host/simd/isa_gravity_loops.hpp"

#include <utility>

#include "host/gravity/gravity_pairs.hpp"
#include "host/gravity/pair_strength.hpp"
#include "host/simd/pair_loops.hpp"

namespace multiwalk::MULTIWALK_ISA {

namespace {

using Columns = Vec3<PackedDouble>;
using HalfLanes [[gnu::vector_size(width * 2)]] = float;

/// One coordinate of points whose numbers fill three vectors.
template <int axis, int... i>
MULTIWALK_HOST_DEVICE PackedDouble column(const DoubleLanes (&part)[3], std::integer_sequence<int, i...>) {
  constexpr int two = 2 * double_width;
  const DoubleLanes of_two = __builtin_shufflevector(part[0], part[1], (3 * i + axis < two ? 3 * i + axis : 0)...);
  return __builtin_shufflevector(of_two, part[2], (3 * i + axis < two ? i : 3 * i + axis - double_width)...);
}

/// The coordinates of `double_width` points, one after the other.
MULTIWALK_HOST_DEVICE Columns columns(const double* point) {
  constexpr std::make_integer_sequence<int, double_width> lane;
  DoubleLanes part[3];
  for (int k = 0; k < 3; ++k) __builtin_memcpy(&part[k], point + k * double_width, sizeof part[k]);
  return {column<0>(part, lane), column<1>(part, lane), column<2>(part, lane)};
}

/// Puts numbers into a packed vector, starting at lane `first`; returns their rounding errors.
MULTIWALK_HOST_DEVICE PackedDouble put(PackedDouble x, int first, Packed& to) {
  const HalfLanes rounded = __builtin_convertvector(x.v, HalfLanes);
  __builtin_memcpy(reinterpret_cast<float*>(&to) + first, &rounded, sizeof rounded);
  return x.v - __builtin_convertvector(rounded, DoubleLanes);
}
MULTIWALK_HOST_DEVICE PackedDouble put(PackedDouble x, int, PackedDouble& to) {
  to = x;
  return {};
}
template <class Lanes>
MULTIWALK_HOST_DEVICE Columns put(const Columns& x, int first, Vec3<Lanes>& to) {
  return {put(x.x, first, to.x), put(x.y, first, to.y), put(x.z, first, to.z)};
}
template <class Lanes>
MULTIWALK_HOST_DEVICE void place(const Columns& x, int first, SingleVector<Lanes>& to) {
  put(x, first, to.hi);
}
template <class Lanes>
MULTIWALK_HOST_DEVICE void place(const Columns& x, int first, SplitVector<Lanes>& to) {
  put(put(x, first, to.hi), first, to.lo);
}

/// `double_width` rows of the array from number j on; near the end, a copy filled up with the last of all n rows.
template <int columns>
MULTIWALK_HOST_DEVICE const double* filled(const double* array, std::size_t j, std::size_t n,
                                           double (&copy)[columns * double_width]) {
  if (j + double_width <= n) return array + columns * j;
  for (int i = 0; i < double_width; ++i, ++j) {
    const double* row = array + columns * (j < n ? j : n - 1);
    for (int k = 0; k < columns; ++k) copy[columns * i + k] = row[k];
  }
  return copy;
}

/// `double_width` points from number j on, in units of their frame; doubles stay as they are.
template <class T>
struct Origin {
  Columns centre;
  PackedDouble inverse_unit;

  MULTIWALK_HOST_DEVICE Origin(Vec3d c, double unit)
      : centre{PackedDouble(c.x), PackedDouble(c.y), PackedDouble(c.z)}, inverse_unit(1 / unit) {}
  MULTIWALK_HOST_DEVICE Columns operator()(const Vec3d* point, std::size_t j, std::size_t n) const {
    double copy[3 * double_width];
    const Columns x = columns(filled<3>(reinterpret_cast<const double*>(point), j, n, copy));
    if constexpr (sizeof(T) == sizeof(double)) return x;
    return {(x.x - centre.x) * inverse_unit, (x.y - centre.y) * inverse_unit, (x.z - centre.z) * inverse_unit};
  }
};

template <class Pair, class T>
inline constexpr bool with_jerk = requires(typename Pair::template Target<T> t) {
  t.velocity;
};

template <class T>
MULTIWALK_HOST_DEVICE const ForceSum<T>& force_of(const ForceSum<T>& sum) {
  return sum;
}
template <class Sum>
MULTIWALK_HOST_DEVICE const auto& force_of(const Sum& sum) {
  return sum.force;
}

/// Converts between the numbers of a call and those of its pairs.
template <class Pair, class T>
class Conversion {
 public:
  using Types = PairTypes<Pair, T>;

  MULTIWALK_HOST_DEVICE explicit Conversion(const GravityCall& call)
      : pair{scaled ? call.frame.softening2(call.softening2) : call.softening2},
        call_(call),
        position_(call.frame.centre, call.frame.length),
        velocity_(call.frame.velocity, call.frame.speed),
        acceleration_(scaled ? call.frame.acceleration() : pair_strength()),
        potential_(scaled ? call.frame.potential() : pair_strength()),
        jerk_(scaled ? call.frame.jerk() : pair_strength()),
        inverse_mass_(scaled ? 1 / call.frame.mass : 1) {
    typename Types::WideSum own{};
    typename Types::WideSource source{};
    source.mass = typename Types::Packed(1.0);
    pair(typename Types::WideTarget{}, source, own);
    own_inverse_distance_ = force_of(own).potential.v[0];
  }

  /// A vector of sources from number j on.
  MULTIWALK_HOST_DEVICE void sources(std::size_t j, typename Types::WideSource& to) const {
    for (int i = 0; i < Types::lanes; i += double_width, j += double_width) {
      place(position_(call_.source_position, j, call_.sources), i, to.position);
      if constexpr (with_jerk<Pair, T>) place(velocity_(call_.source_velocity, j, call_.sources), i, to.velocity);
      double copy[double_width];
      PackedDouble mass;
      __builtin_memcpy(&mass.v, filled<1>(call_.source_mass, j, call_.sources, copy), sizeof mass.v);
      put(mass * PackedDouble(inverse_mass_), i, to.mass);
    }
  }

  /// The targets from number `first` up to `end`.
  MULTIWALK_HOST_DEVICE void targets(std::size_t first, std::size_t end, typename Types::Target* to) const {
    for (std::size_t t = first; t < end; t += Types::lanes) {
      typename Types::WideTarget wide;
      for (int i = 0; i < Types::lanes; i += double_width) {
        const std::size_t from = t + static_cast<std::size_t>(i);
        place(position_(call_.target_position, from, end), i, wide.position);
        if constexpr (with_jerk<Pair, T>) place(velocity_(call_.target_velocity, from, end), i, wide.velocity);
      }
      for (std::size_t i = 0; i < Types::lanes && t + i < end; ++i, ++to) {
        for (int k = 0; k < Types::target_values; ++k) {
          numbers<T>(*to)[k] = numbers<T>(wide)[static_cast<std::size_t>(k * Types::lanes) + i];
        }
      }
    }
  }

  MULTIWALK_HOST_DEVICE void store(std::size_t t, const typename Types::Sum& sum) const {
    const ForceSum<double>& force = force_of(sum);
    if (call_.acceleration != nullptr) call_.acceleration[t] = Vec3d{force.x, force.y, force.z} * acceleration_;
    if (call_.potential != nullptr) {
      const T own = call_.target_mass != nullptr ? mass(call_.target_mass[t]) * own_inverse_distance_ : T(0);
      call_.potential[t] = (static_cast<double>(own) - force.potential) * potential_;
    }
    if constexpr (with_jerk<Pair, T>) {
      if (call_.jerk != nullptr) call_.jerk[t] = sum.jerk * jerk_;
    }
  }

  Pair pair;

 private:
  static constexpr bool scaled = sizeof(T) == sizeof(float);

  MULTIWALK_HOST_DEVICE T mass(double m) const { return static_cast<T>(m * inverse_mass_); }

  const GravityCall& call_;
  Origin<T> position_, velocity_;
  double acceleration_, potential_, jerk_, inverse_mass_;
  T own_inverse_distance_;  ///< of a target from itself, rounded as in its sum
};

template <class Pair, class T>
void pack(const GravityCall& call, std::size_t first, std::size_t end, void* packed) {
  using Types = PairTypes<Pair, T>;
  const Conversion<Pair, T> convert(call);
  auto* to = static_cast<typename Types::WideSource*>(packed);
  for (std::size_t v = first; v < end; ++v) convert.sources(v * Types::lanes, to[v]);
}

template <class Pair, class T, template <class> class Accumulate>
void sum(const GravityCall& call, const void* packed, std::size_t first, std::size_t end) {
  using Types = PairTypes<Pair, T>;
  const Conversion<Pair, T> convert(call);
  const auto* source = static_cast<const typename Types::WideSource*>(packed);
  typename Types::Target target[target_chunk];
  typename Types::Sum result[target_chunk];
  for (std::size_t t = first; t < end; t += target_chunk) {
    const std::size_t count = end - t < target_chunk ? end - t : target_chunk;
    convert.targets(t, t + count, target);
    sum_chunk<Accumulate, T>(convert.pair, source, call.sources, target, count, result);
    for (std::size_t i = 0; i < count; ++i) convert.store(t + i, result[i]);
  }
}

template <class Pair, class T, template <class> class Accumulate>
GravityLoops loops() {
  using Types = PairTypes<Pair, T>;
  return {Types::lanes, sizeof(typename Types::WideSource), pack<Pair, T>, sum<Pair, T, Accumulate>};
}

template <class Pair>
GravityLoops single_loops(Accumulation accumulation) {
  if (accumulation == Accumulation::plain) return loops<Pair, float, PlainSums>();
  if (accumulation == Accumulation::chamomile) return loops<Pair, float, ChamomileSums>();
  if (accumulation == Accumulation::compensated) return loops<Pair, float, CompensatedSums>();
  return loops<Pair, float, MixedSums>();
}

template <template <bool, template <class> class> class Pair, bool softened>
GravityLoops precision_loops(DirectPrecision precision) {
  if (precision.accumulation == Accumulation::full) return loops<Pair<softened, SingleVector>, double, PlainSums>();
  if (precision.splitting == Splitting::hi_lo) {
    return single_loops<Pair<softened, SplitVector>>(precision.accumulation);
  }
  return single_loops<Pair<softened, SingleVector>>(precision.accumulation);
}

}  // namespace

GravityLoops gravity_loops(const GravityLaw& law) {
  if (law.jerk) {
    return law.softened ? precision_loops<GravityJerkPair, true>(law.precision)
                        : precision_loops<GravityJerkPair, false>(law.precision);
  }
  return law.softened ? precision_loops<GravityPair, true>(law.precision)
                      : precision_loops<GravityPair, false>(law.precision);
}

MULTIWALK_HOST_DEVICE void take(double x, double& sum, double& least, double& most) {
  sum += x;
  least = x < least ? x : least;
  most = x > most ? x : most;
}

/// Reads eight points at a time, their 24 coordinates side by side.
Extent extent(const Vec3d* point, std::size_t n) {
  constexpr std::size_t columns = 24;
  double sum[columns] = {}, least[columns], most[columns];
  const double* x = reinterpret_cast<const double*>(point);
  for (std::size_t k = 0; k < columns; ++k) {
    least[k] = INFINITY;
    most[k] = -INFINITY;
  }
  std::size_t at = 0;
  for (; at + columns <= 3 * n; at += columns) {
    for (std::size_t k = 0; k < columns; ++k) take(x[at + k], sum[k], least[k], most[k]);
  }
  for (std::size_t k = 0; k < 3 * n - at; ++k) take(x[at + k], sum[k], least[k], most[k]);
  Extent result;
  for (int axis = 0; n > 0 && axis < 3; ++axis) {
    double all = 0, low = INFINITY, high = -INFINITY;
    for (std::size_t k = static_cast<std::size_t>(axis); k < columns; k += 3) {
      all += sum[k];
      low = least[k] < low ? least[k] : low;
      high = most[k] > high ? most[k] : high;
    }
    const double mean = all / static_cast<double>(n);
    const double reach = high - mean > mean - low ? high - mean : mean - low;
    result.mean[axis] = mean;
    result.farthest = reach > result.farthest ? reach : result.farthest;
  }
  return result;
}

double largest(const double* value, std::size_t n) {
  constexpr std::size_t columns = 32;
  double most[columns] = {};
  std::size_t at = 0;
  for (; at + columns <= n; at += columns) {
    for (std::size_t k = 0; k < columns; ++k) {
      const double size = __builtin_fabs(value[at + k]);
      most[k] = size > most[k] ? size : most[k];
    }
  }
  double result = 0;
  for (std::size_t k = 0; k < columns; ++k) result = most[k] > result ? most[k] : result;
  for (; at < n; ++at) {
    const double size = __builtin_fabs(value[at]);
    result = size > result ? size : result;
  }
  return result;
}

}  // namespace multiwalk::MULTIWALK_ISA
