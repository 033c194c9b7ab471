// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/halo_table.hpp"

#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace multiwalk {

namespace {

namespace nb = nanobind;

constexpr double mass_unit = 1e10;  // Msun/h

/// A numpy array that owns its elements.
template <class T>
nb::object numpy_of(std::vector<T> elements, std::size_t rows, std::size_t columns) {
  auto* held = new std::vector<T>(std::move(elements));
  const nb::capsule holder(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::array<std::size_t, 2> shape{rows, columns};
  return nb::cast(nb::ndarray<nb::numpy, T>(held->data(), columns > 1 ? 2 : 1, shape.data(), holder));
}

class Columns {
 public:
  explicit Columns(std::span<const Halo> halos) : halos_(halos) {}

  template <class At>
  void add(const char* name, const char* unit, const At& at) {
    using T = decltype(at(std::declval<const Halo&>()));
    std::vector<T> elements;
    elements.reserve(halos_.size());
    for (const Halo& halo : halos_) elements.push_back(at(halo));
    columns_.append(nb::make_tuple(name, unit, numpy_of(std::move(elements), halos_.size(), 1)));
  }
  void add_vector(const char* name, const char* unit, Vec3d Halo::*member) {
    std::vector<double> elements;
    elements.reserve(3 * halos_.size());
    for (const Halo& halo : halos_) {
      for (int axis = 0; axis < 3; ++axis) elements.push_back((halo.*member)[axis]);
    }
    columns_.append(nb::make_tuple(name, unit, numpy_of(std::move(elements), halos_.size(), 3)));
  }
  void add_sphere(const char* mass, const char* radius, SphericalMass Halo::*sphere) {
    add(mass, "Msun/h", [sphere](const Halo& h) { return (h.*sphere).mass * mass_unit; });
    add(radius, "Mpc/h", [sphere](const Halo& h) { return (h.*sphere).radius; });
  }
  [[nodiscard]] nb::tuple all() const { return nb::tuple(columns_); }

 private:
  std::span<const Halo> halos_;
  nb::list columns_;
};

}  // namespace

nb::tuple halo_table(std::span<const Halo> halos) {
  Columns columns(halos);
  columns.add("id", "", [](const Halo& h) { return h.id; });
  columns.add("particles", "", [](const Halo& h) { return h.number; });
  columns.add("mass", "Msun/h", [](const Halo& h) { return h.mass * mass_unit; });
  columns.add_vector("position", "Mpc/h", &Halo::centre);
  columns.add_vector("centre_of_mass", "Mpc/h", &Halo::centre_of_mass);
  columns.add_vector("velocity", "km/s", &Halo::velocity);
  columns.add("sigma_1d", "km/s", [](const Halo& h) { return h.velocity_dispersion; });
  columns.add("extent", "Mpc/h", [](const Halo& h) { return h.extent; });
  columns.add("v_max", "km/s", [](const Halo& h) { return h.v_max; });
  columns.add("r_v_max", "Mpc/h", [](const Halo& h) { return h.peak.radius; });
  columns.add_sphere("m200c", "r200c", &Halo::crit200);
  columns.add_sphere("m500c", "r500c", &Halo::crit500);
  columns.add_sphere("m200m", "r200m", &Halo::mean200);
  columns.add_sphere("mvir", "rvir", &Halo::virial);
  columns.add("c200c", "", [](const Halo& h) { return h.concentration; });
  columns.add_vector("spin", "Mpc/h km/s", &Halo::spin);
  columns.add("lambda_peebles", "", [](const Halo& h) { return h.spin_peebles; });
  columns.add("lambda_bullock", "", [](const Halo& h) { return h.spin_bullock; });
  return columns.all();
}

}  // namespace multiwalk
