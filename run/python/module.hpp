// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the module, each in a source of its own, and the arrays that they exchange with numpy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>

#include "host/base/vec3.hpp"

namespace multiwalk {

void bind_forces(nanobind::module_& module);
void bind_parameters(nanobind::module_& module);
void bind_particles(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);

using Doubles = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Points = nanobind::ndarray<const double, nanobind::shape<-1, 3>, nanobind::c_contig, nanobind::device::cpu>;
using DoublesOut = nanobind::ndarray<double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using PointsOut = nanobind::ndarray<double, nanobind::shape<-1, 3>, nanobind::c_contig, nanobind::device::cpu>;

/// In double or single precision.
using Numbers = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
/// The same, for writing.
using NumbersOut = nanobind::ndarray<nanobind::c_contig, nanobind::device::cpu>;

inline std::span<const double> span_of(const Doubles& array) {
  return {array.data(), array.size()};
}
inline std::span<const Vec3d> span_of(const Points& array) {
  return {reinterpret_cast<const Vec3d*>(array.data()), array.shape(0)};
}
inline std::span<double> span_of(const DoublesOut& array) {
  return {array.data(), array.size()};
}
inline std::span<Vec3d> span_of(const PointsOut& array) {
  return {reinterpret_cast<Vec3d*>(array.data()), array.shape(0)};
}

}  // namespace multiwalk
