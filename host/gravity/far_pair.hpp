// SPDX-License-Identifier: GPL-3.0-or-later
// A cell far from a group as rows times columns of small matrices: the softened pair of pair_force.hpp for tensor
// cores. With X the cell, x the target, d = X - x, S the second moment and Q = S - tr(S)/3, all about the walk's
// centre,
//   R^2 = |X|^2 + eps^2 - 2 X.x + |x|^2,
//   u = (3 d.Q.d - tr(S) eps^2)/2 = (3 X.Q.X - tr(S) eps^2)/2 - 3 (Q X).x + 3/2 x.Q.x,
//   B = R^-5,  t = u B,  A = R^-2 (m/R + 5 t),
//   a = sum A X - x sum A - 3 [sum B Q X - (sum B Q) x],  phi = -sum (m/R + t).
// R^2 and u are a target's row times a cell's column, plus a number per cell; the sums are weights A, B times a cell's
// row. Factors are TF32 numbers (11 bits); x, X and A are two each, so that R^2 and A X keep single precision.
#pragma once

#include <cstdint>

#include "host/base/host_device.hpp"
#include "host/base/vec3.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// Bits of a single-precision number that a TF32 number lacks; tensor cores ignore them.
inline constexpr std::uint32_t tf32_rest = 0x1fff;
/// Sums of truncated weights are too small by 2^-11 / (2 ln 2) on average; this factor corrects it.
inline constexpr float cut_gain = 1.000352F;

/// The bits of a number that tensor cores read.
MULTIWALK_HOST_DEVICE float leading_bits(float x) {
  return number_of(bits_of(x) & ~tf32_rest);
}

/// The nearest TF32 number.
MULTIWALK_HOST_DEVICE float tf32(float x) {
  return number_of((bits_of(x) + 0x1000U) & ~tf32_rest);
}

/// Entries k and k + 4 of a target's rows, for one k < 4.
struct FarTarget {
  float place[2];  ///< x y z |x|^2, leading bits; then x y z again, and the rest of |x|^2
  float rest;      ///< rests of x y z, and what is still missing of |x|^2
  float shape[2];  ///< x y z xx-zz; then yy-zz xy xz yz
};

MULTIWALK_HOST_DEVICE FarTarget far_target(Vec3f x, unsigned k) {
  const float value = k == 0 ? x.x : k == 1 ? x.y : k == 2 ? x.z : x.x * x.x + (x.y * x.y + x.z * x.z);
  const float high = tf32(value), low = tf32(value - high);
  const float first = k < 3 ? value : (x.x - x.z) * (x.x + x.z);
  const float second = k == 0 ? (x.y - x.z) * (x.y + x.z) : k == 1 ? x.x * x.y : k == 2 ? x.x * x.z : x.y * x.z;
  return {{high, k < 3 ? high : low}, k < 3 ? low : tf32(value - high - low), {tf32(first), tf32(second)}};
}

/// A cell's column of a product.
struct alignas(16) FarColumn {
  float entry[4][2];  ///< k and k + 4
};

/// Eight cells in the order in which the lanes of a warp read them. The size, 8 banks modulo 32, allows four blocks to
/// be written at once without conflicts.
struct alignas(16) FarBlock {
  FarColumn place[8];    ///< [cell] of R^2: -2X -2Y -2Z 1, leading bits; then their rests (1: none)
  FarColumn shape[8];    ///< [cell] of u
  float reach[8][8];     ///< [entry][cell] rows for A: X Y Z in turn, leading bits and rests; 1; 0
  float pull[8][8];      ///< [entry][cell] rows for B: (QX)_x Qxx (QX)_y Qyy (QX)_z Qxy Qxz Qyz
  float square[4][4];    ///< |X|^2 + eps^2 of cells 2 t, 2 t + 1, twice: initial values of R^2
  float constant[4][4];  ///< (3 X.Q.X - tr(S) eps^2)/2 in the same order: initial values of u
  float mass[8];
};

/// Writes cell j of a block. A massless cell at X = 0 adds nothing if `softening2` > 0.
MULTIWALK_HOST_DEVICE void store_far_place(FarBlock& block, unsigned j, Vec3f x, float mass, float softening2) {
  FarColumn place{{{}, {}, {}, {1, 1}}};
  for (int k = 0; k < 3; ++k) {
    const float high = tf32(x[k]), low = tf32(x[k] - high);
    place.entry[k][0] = -2 * high;
    place.entry[k][1] = -2 * low;
    block.reach[2 * k][j] = high;
    block.reach[2 * k + 1][j] = low;
  }
  block.place[j] = place;
  block.reach[6][j] = 1;
  block.reach[7][j] = 0;
  block.square[j / 2][j % 2] = block.square[j / 2][j % 2 + 2] = x.x * x.x + (x.y * x.y + (x.z * x.z + softening2));
  block.mass[j] = mass;
}

/// Writes the moments of cell j of a block.
MULTIWALK_HOST_DEVICE void store_far_shape(FarBlock& block, unsigned j, Vec3f x, const SecondMoment<float>& s,
                                           float softening2) {
  const float trace = s.xx + (s.yy + s.zz);
  const float third = trace * (1.0F / 3), xx = s.xx - third, yy = s.yy - third, zz = s.zz - third;
  const Vec3f q{xx * x.x + (s.xy * x.y + s.xz * x.z), s.xy * x.x + (yy * x.y + s.yz * x.z),
                s.xz * x.x + (s.yz * x.y + zz * x.z)};
  block.shape[j] = {{{tf32(-3 * q.x), tf32(1.5F * yy)},
                     {tf32(-3 * q.y), tf32(3 * s.xy)},
                     {tf32(-3 * q.z), tf32(3 * s.xz)},
                     {tf32(1.5F * xx), tf32(3 * s.yz)}}};
  const float pull[8]{q.x, xx, q.y, yy, q.z, s.xy, s.xz, s.yz};
  for (int k = 0; k < 8; ++k) block.pull[k][j] = tf32(pull[k]);
  block.constant[j / 2][j % 2] = block.constant[j / 2][j % 2 + 2] =
      1.5F * (x.x * q.x + (x.y * q.y + x.z * q.z)) - 0.5F * trace * softening2;
}

struct FarWeights {
  float a, b;
};

/// Weights of one pair; adds its potential to `potential`.
MULTIWALK_HOST_DEVICE FarWeights far_weights(float distance2, float mass, float u, float& potential) {
  const float ri = inverse_sqrt(distance2);
  const float ri2 = ri * ri;
  const float b = ri2 * ri2 * ri;
  const float depth = mass * ri + u * b;
  potential += depth;
  return {ri2 * (depth + 4 * (u * b)), b};
}

/// As far_weights for a point mass.
MULTIWALK_HOST_DEVICE float far_weight(float distance2, float mass, float& potential) {
  const float ri = inverse_sqrt(distance2);
  const float depth = mass * ri;
  potential += depth;
  return ri * ri * depth;
}

/// Component k of the force on a target from its sums: `reach` = sum A X_k, `weight` = sum A, `pull` = sum B (Q X)_k
/// and sum B Q without its zz.
MULTIWALK_HOST_DEVICE float far_pull(unsigned k, Vec3f x, float reach, float weight, float pull,
                                     const SecondMoment<float>& q) {
  const Vec3f row = k == 0   ? Vec3f{q.xx, q.xy, q.xz}
                    : k == 1 ? Vec3f{q.xy, q.yy, q.yz}
                             : Vec3f{q.xz, q.yz, -q.xx - q.yy};
  const float mine = k == 0 ? x.x : k == 1 ? x.y : x.z;
  constexpr float pull_gain = -3 * cut_gain;
  return reach - mine * weight + pull_gain * (pull - (row.x * x.x + (row.y * x.y + row.z * x.z)));
}

}  // namespace multiwalk
