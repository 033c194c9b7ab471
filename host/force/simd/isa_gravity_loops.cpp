// Direct gravity for the instruction set this file is compiled for. As in isa_kernels.cpp, nothing here may instantiate
// a shared template out of line.
#include "host/force/simd/isa_gravity_loops.hpp"

#include "host/direct/gravity_pairs.hpp"
#include "host/direct/pair_loops.hpp"

namespace multiwalk::MULTIWALK_ISA {

namespace {

/// How the vectors of a record are made of double-precision ones.
MULTIWALK_HOST_DEVICE void place(Vec3d x, SingleVector<float>& to) {
  to.hi = Vec3f(x);
}
MULTIWALK_HOST_DEVICE void place(Vec3d x, SplitVector<float>& to) {
  to.hi = Vec3f(x);
  to.lo = Vec3f(x - Vec3d(to.hi));
}
MULTIWALK_HOST_DEVICE void place(Vec3d x, SingleVector<double>& to) {
  to.hi = x;
}

/// Coordinates in units of their frame; doubles stay as they are.
template <class T>
struct Origin {
  Vec3d centre;
  double inverse_unit;

  MULTIWALK_HOST_DEVICE Origin(Vec3d c, double unit) : centre(c), inverse_unit(1 / unit) {}
  MULTIWALK_HOST_DEVICE Vec3d operator()(Vec3d x) const { return (x - centre) * inverse_unit; }
};
template <>
struct Origin<double> {
  MULTIWALK_HOST_DEVICE Origin(Vec3d, double) {}
  MULTIWALK_HOST_DEVICE Vec3d operator()(Vec3d x) const { return x; }
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

/// Between the numbers of a call and those of its pairs.
template <class Pair, class T>
class Conversion {
 public:
  using Types = PairTypes<Pair, T>;

  MULTIWALK_HOST_DEVICE explicit Conversion(const GravityCall& call)
      : pair{scaled ? call.frame.softening2(call.softening2) : call.softening2},
        call_(call),
        position_(call.frame.centre, call.frame.length),
        velocity_(call.frame.velocity, call.frame.speed),
        acceleration_(scaled ? call.frame.acceleration() : 1),
        potential_(scaled ? call.frame.potential() : 1),
        jerk_(scaled ? call.frame.jerk() : 1),
        inverse_mass_(scaled ? 1 / call.frame.mass : 1) {
    typename Types::WideSum own{};
    typename Types::WideSource source{};
    source.mass = typename Types::Packed(1.0);
    pair(typename Types::WideTarget{}, source, own);
    own_inverse_distance_ = force_of(own).potential.v[0];
  }

  MULTIWALK_HOST_DEVICE typename Types::Source source(std::size_t j) const {
    typename Types::Source result;
    place(position_(call_.source_position[j]), result.position);
    if constexpr (with_jerk<Pair, T>) place(velocity_(call_.source_velocity[j]), result.velocity);
    result.mass = mass(call_.source_mass[j]);
    return result;
  }

  MULTIWALK_HOST_DEVICE typename Types::Target target(std::size_t t) const {
    typename Types::Target result;
    place(position_(call_.target_position[t]), result.position);
    if constexpr (with_jerk<Pair, T>) place(velocity_(call_.target_velocity[t]), result.velocity);
    return result;
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
  constexpr std::size_t lanes = Types::lanes;
  const Conversion<Pair, T> convert(call);
  auto* to = static_cast<typename Types::WideSource*>(packed);
  for (std::size_t v = first; v < end; ++v) {
    typename Types::Source source[lanes];
    const std::size_t rest = call.sources - v * lanes, count = rest < lanes ? rest : lanes;
    for (std::size_t i = 0; i < count; ++i) source[i] = convert.source(v * lanes + i);
    pack_sources<Types>(source, count, to[v]);
  }
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
    for (std::size_t i = 0; i < count; ++i) target[i] = convert.target(t + i);
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

/// Points are taken eight at a time, their 24 coordinates side by side.
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

}  // namespace multiwalk::MULTIWALK_ISA
