// SPDX-License-Identifier: GPL-3.0-or-later
// Three-vector on plain values, for host and device.
#pragma once

#include <cmath>

#include "host/base/host_device.hpp"

namespace multiwalk {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  MULTIWALK_HOST_DEVICE T& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
  MULTIWALK_HOST_DEVICE T operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }

  MULTIWALK_HOST_DEVICE Vec3& operator+=(Vec3 b) { return *this = {x + b.x, y + b.y, z + b.z}; }
  MULTIWALK_HOST_DEVICE Vec3& operator-=(Vec3 b) { return *this = {x - b.x, y - b.y, z - b.z}; }
  MULTIWALK_HOST_DEVICE Vec3& operator*=(T s) { return *this = {x * s, y * s, z * s}; }

  template <class U>
  explicit MULTIWALK_HOST_DEVICE operator Vec3<U>() const {
    return {static_cast<U>(x), static_cast<U>(y), static_cast<U>(z)};
  }
  friend MULTIWALK_HOST_DEVICE Vec3 operator+(Vec3 a, Vec3 b) { return a += b; }
  friend MULTIWALK_HOST_DEVICE Vec3 operator-(Vec3 a, Vec3 b) { return a -= b; }
  friend MULTIWALK_HOST_DEVICE Vec3 operator*(Vec3 a, T s) { return a *= s; }
  friend MULTIWALK_HOST_DEVICE Vec3 operator*(T s, Vec3 a) { return a *= s; }
  friend MULTIWALK_HOST_DEVICE Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
  friend MULTIWALK_HOST_DEVICE bool operator==(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }
};

using Vec3d = Vec3<double>;
using Vec3f = Vec3<float>;

template <class T>
MULTIWALK_HOST_DEVICE T dot(Vec3<T> a, Vec3<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
MULTIWALK_HOST_DEVICE Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
MULTIWALK_HOST_DEVICE T norm2(Vec3<T> a) {
  return dot(a, a);
}

template <class T>
MULTIWALK_HOST_DEVICE T norm(Vec3<T> a) {
  return std::sqrt(norm2(a));
}

/// Whether no component is NaN or infinite.
template <class T>
bool is_finite(Vec3<T> a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

}  // namespace multiwalk
