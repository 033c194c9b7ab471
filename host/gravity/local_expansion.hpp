// SPDX-License-Identifier: GPL-3.0-or-later
// The potential of a far cell as a Taylor series about the centre of a group, in Cartesian coordinates (Warren & Salmon
// 1995; Dehnen 2002), in one source for scalars, SIMD vectors and CUDA threads. With Phi = sum m/R, the positive
// potential of pair_force.hpp, S a cell's second moment and D(n) the derivatives of 1/R from the cell to the centre,
//   L(n) = M D(n) + 1/2 sum over a, b of S_ab D(n + a + b),   Phi(u) = sum over |n| <= order of L(n) u^n / n!,
// where second moments contribute to |n| <= order - 2 only: what is dropped has total order order + 1. Derivatives come
// from the radial ones, f(0) = 1/R and f(q+1) = f(q)'/r, by D(q, n + a) = x_a D(q+1, n) + n_a D(q+1, n - a).
#pragma once

#include <utility>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"
#include "host/gravity/pair_force.hpp"
#include "host/gravity/short_range.hpp"

namespace multiwalk {

inline constexpr int least_expansion_order = 1, most_expansion_order = 6;

/// Number of terms x^i y^j z^k with i + j + k <= order.
constexpr MULTIWALK_HOST_DEVICE int expansion_terms(int order) {
  return (order + 1) * (order + 2) * (order + 3) / 6;
}

/// The powers of a term. Terms of lower orders come first.
struct ExpansionPowers {
  int power[3]{};

  [[nodiscard]] constexpr MULTIWALK_HOST_DEVICE int order() const { return power[0] + power[1] + power[2]; }
  [[nodiscard]] constexpr MULTIWALK_HOST_DEVICE int term() const {
    const int s = power[1] + power[2];
    return expansion_terms(order() - 1) + s * (s + 1) / 2 + power[2];
  }
  [[nodiscard]] constexpr MULTIWALK_HOST_DEVICE ExpansionPowers plus(int axis, int by) const {
    ExpansionPowers other = *this;
    other.power[axis] += by;
    return other;
  }
  /// The first axis along which the power is not 0.
  [[nodiscard]] constexpr MULTIWALK_HOST_DEVICE int first_axis() const {
    return power[0] > 0 ? 0 : power[1] > 0 ? 1 : 2;
  }
};

/// As std::array, whose functions CUDA threads cannot call.
template <class T, int count>
struct ExpansionList {
  T entry[count]{};
};

/// The powers of every term.
template <int order>
inline constexpr auto expansion_powers = [] {
  ExpansionList<ExpansionPowers, expansion_terms(order)> powers;
  int at = 0;
  for (int o = 0; o <= order; ++o) {
    for (int i = o; i >= 0; --i) {
      for (int j = o - i; j >= 0; --j) powers.entry[at++] = {{i, j, o - i - j}};
    }
  }
  return powers;
}();

/// Entries of a table of D(q, n), |n| + q <= order.
struct DerivativeStep {
  int to = 0, from = 0, lower = 0, axis = 0, factor = 0;  ///< entry `to` = x_axis entry `from` + factor entry `lower`
};

template <int order>
struct DerivativeTable {
  static constexpr MULTIWALK_HOST_DEVICE int entry(int q, int term) {
    int before = 0;
    for (int r = 0; r < q; ++r) before += expansion_terms(order - r);
    return before + term;
  }
  static constexpr int size = entry(order, 0) + 1;
  static constexpr int count = size - order - 1;

  static constexpr auto steps = [] {
    ExpansionList<DerivativeStep, count> made;
    int at = 0;
    for (const ExpansionPowers& n : expansion_powers<order>.entry) {
      if (n.order() == 0) continue;
      const int axis = n.first_axis();
      const ExpansionPowers below = n.plus(axis, -1);
      const int factor = below.power[axis];
      const int lower = factor > 0 ? below.plus(axis, -1).term() : 0;
      for (int q = 0; q + n.order() <= order; ++q) {
        made.entry[at++] = {entry(q, n.term()), entry(q + 1, below.term()), entry(q + 1, lower), axis, factor};
      }
    }
    return made;
  }();
};

template <int axis, class T>
MULTIWALK_HOST_DEVICE T component(const Vec3<T>& x) {
  if constexpr (axis == 0) return x.x;
  if constexpr (axis == 1) return x.y;
  return x.z;
}

template <int order, int s, class T>
MULTIWALK_HOST_DEVICE void derive(const Vec3<T>& x, T* table) {
  constexpr DerivativeStep step = DerivativeTable<order>::steps.entry[s];
  T value = component<step.axis>(x) * table[step.from];
  if constexpr (step.factor == 1) value += table[step.lower];
  if constexpr (step.factor > 1) value += T(static_cast<float>(step.factor)) * table[step.lower];
  table[step.to] = value;
}

template <int order, class T, int... s>
MULTIWALK_HOST_DEVICE void derive_all(const Vec3<T>& x, T* table, std::integer_sequence<int, s...>) {
  (derive<order, s>(x, table), ...);
}

/// Adds a cell's contribution to term n. `half`: half of the second moment, off-diagonal elements whole.
template <int order, int n, class T>
MULTIWALK_HOST_DEVICE void add_term(const T* table, T mass, const SecondMoment<T>& half, T* term) {
  constexpr ExpansionPowers p = expansion_powers<order>.entry[n];
  T sum = mass * table[n];
  if constexpr (p.order() <= order - 2) {
    constexpr ExpansionPowers x = p.plus(0, 1), y = p.plus(1, 1), z = p.plus(2, 1);
    sum += half.xx * table[x.plus(0, 1).term()];
    sum += half.xy * table[x.plus(1, 1).term()];
    sum += half.xz * table[x.plus(2, 1).term()];
    sum += half.yy * table[y.plus(1, 1).term()];
    sum += half.yz * table[y.plus(2, 1).term()];
    sum += half.zz * table[z.plus(2, 1).term()];
  }
  term[n] += sum;
}

template <int order, class T, int... n>
MULTIWALK_HOST_DEVICE void add_terms(const T* table, T mass, const SecondMoment<T>& half, T* term,
                                     std::integer_sequence<int, n...>) {
  (add_term<order, n>(table, mass, half, term), ...);
}

/// Radial derivatives of the softened 1/R.
template <class T>
struct NewtonDerivatives {
  T softening2;

  template <int order>
  MULTIWALK_HOST_DEVICE void write(T r2, T* table) const {
    const T ri = inverse_sqrt(r2 + softening2);
    const T ri2 = ri * ri;
    T value = ri;
    table[0] = value;
    write_next<order>(ri2, value, table, std::make_integer_sequence<int, order>());
  }

 private:
  template <int order, int... q>
  MULTIWALK_HOST_DEVICE static void write_next(T ri2, T& value, T* table, std::integer_sequence<int, q...>) {
    ((value = T(static_cast<float>(-2 * q - 1)) * (ri2 * value),
      table[DerivativeTable<order>::entry(q + 1, 0)] = value),
     ...);
  }
};

/// Radial derivatives of the short-range part of a split force (short_range.hpp). Cells must lie within its cut-off.
/// Lengths are in units of `unit`.
template <class T>
class ShortRangeDerivatives {
 public:
  MULTIWALK_HOST_DEVICE ShortRangeDerivatives(const ShortRange& law, float unit, T softening2)
      : law_(law),
        newton_{softening2},
        rate_(law.rate * unit * unit),
        peak_(law.peak * unit),
        stretch_(law.stretch * unit * unit),
        slope_(law.slope * unit * unit * unit),
        level_(law.level * unit) {}

  template <int order>
  MULTIWALK_HOST_DEVICE void write(T r2, T* table) const {
    newton_.template write<order>(r2, table);
    const T R2 = r2 + newton_.softening2;
    const T gauss = T(peak_) * exp_of(T(-rate_) * R2);
    float power = peak_;
    for (int n = 0; n < order; ++n) power *= 2 * rate_;
    const T g = T(power) * short_range_polynomial(law_.boys, T(stretch_) * R2 - T(1.0F));
    subtract<order>(R2, gauss, g, table, std::make_integer_sequence<int, order + 1>());
    table[0] = table[0] + (T(0.5F * slope_) * R2 - T(level_));
    table[DerivativeTable<order>::entry(1, 0)] = table[DerivativeTable<order>::entry(1, 0)] + T(slope_);
  }

 private:
  /// g(n) for n = order, order - 1, ..., 0, by F(n) = (2z F(n+1) + exp(-z)) / (2n+1).
  template <int order, int... k>
  MULTIWALK_HOST_DEVICE void subtract(T R2, T gauss, T g, T* table, std::integer_sequence<int, k...>) const {
    float power[order + 1]{1};
    for (int n = 1; n <= order; ++n) power[n] = power[n - 1] * 2 * rate_;
    (subtract_one<order, order - k>(R2, gauss, power, g, table), ...);
  }
  template <int order, int n>
  MULTIWALK_HOST_DEVICE static void subtract_one(T R2, T gauss, const float* power, T& g, T* table) {
    if constexpr (n < order) g = T(1.0F / (2 * n + 1)) * (R2 * g + T(power[n]) * gauss);
    T& entry = table[DerivativeTable<order>::entry(n, 0)];
    entry = n % 2 == 0 ? entry - g : entry + g;
  }

  const ShortRange& law_;
  NewtonDerivatives<T> newton_;
  float rate_, peak_, stretch_, slope_, level_;
};

/// Adds a cell's expansion about the origin to the terms L (expansion_terms(order)). `d`: the cell's centre of mass.
template <int order, class T, class Radial>
MULTIWALK_HOST_DEVICE void add_expansion(Vec3<T> d, T mass, const SecondMoment<T>& s, const Radial& radial, T* term) {
  T table[DerivativeTable<order>::size];
  const Vec3<T> x{T(0.0F) - d.x, T(0.0F) - d.y, T(0.0F) - d.z};
  radial.template write<order>(x.x * x.x + (x.y * x.y + x.z * x.z), table);
  derive_all<order>(x, table, std::make_integer_sequence<int, DerivativeTable<order>::count>());
  const T one_half(0.5F);
  const SecondMoment<T> half{one_half * s.xx, s.xy, s.xz, one_half * s.yy, s.yz, one_half * s.zz};
  add_terms<order>(table, mass, half, term, std::make_integer_sequence<int, expansion_terms(order)>());
}

/// Writes u^n / n! and adds term n of the series.
template <int order, int n, class T>
MULTIWALK_HOST_DEVICE void add_product(const T* term, const Vec3<T>& u, T* product, ForceSum<T>& sum) {
  constexpr ExpansionPowers p = expansion_powers<order>.entry[n];
  if constexpr (n == 0) {
    product[0] = T(1.0F);
    sum.potential += term[0];
  } else {
    constexpr int axis = p.first_axis();
    T value = component<axis>(u) * product[p.plus(axis, -1).term()];
    if constexpr (p.power[axis] > 1) value = T(1.0F / static_cast<float>(p.power[axis])) * value;
    product[n] = value;
    sum.potential += term[n] * value;
  }
  if constexpr (p.order() < order) {
    sum.x += term[p.plus(0, 1).term()] * product[n];
    sum.y += term[p.plus(1, 1).term()] * product[n];
    sum.z += term[p.plus(2, 1).term()] * product[n];
  }
}

template <int order, class T, int... n>
MULTIWALK_HOST_DEVICE void add_products(const T* term, const Vec3<T>& u, ForceSum<T>& sum,
                                        std::integer_sequence<int, n...>) {
  T product[expansion_terms(order)];
  (add_product<order, n>(term, u, product, sum), ...);
}

/// The force of an expansion at the place u.
template <int order, class T>
MULTIWALK_HOST_DEVICE ForceSum<T> expanded_force(const T* term, const Vec3<T>& u) {
  ForceSum<T> sum;
  add_products<order>(term, u, sum, std::make_integer_sequence<int, expansion_terms(order)>());
  return sum;
}

}  // namespace multiwalk
