// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "host/base/error.hpp"
#include "host/base/particle_memory.hpp"
#include "run/parameters/parameter_table.hpp"
#include "run/parameters/parameters.hpp"
#include "run/python/array_forces.hpp"
#include "run/python/module.hpp"
#include "run/python/result_memory.hpp"
#include "run/python/solver_pool.hpp"

namespace multiwalk {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

constexpr std::size_t least_page_locked = std::size_t{1} << 20;  // bytes; smaller arrays of particles are not

NumberArray numbers_of(const Numbers& array) {
  if (array.dtype() == nb::dtype<float>()) return std::span(static_cast<const float*>(array.data()), array.size());
  if (array.dtype() != nb::dtype<double>()) throw InputError("numbers must be in double or single precision");
  return std::span(static_cast<const double*>(array.data()), array.size());
}

ResultArrays results_at(void* acceleration, void* potential, std::size_t size, bool single) {
  if (single) return {static_cast<Vec3f*>(acceleration), static_cast<float*>(potential), size};
  return {static_cast<Vec3d*>(acceleration), static_cast<double*>(potential), size};
}

ResultArrays results_of(const NumbersOut& acceleration, const NumbersOut& potential) {
  const bool single = potential.dtype() == nb::dtype<float>();
  const bool shapes = acceleration.ndim() == 2 && acceleration.shape(1) == 3 && potential.ndim() == 1 &&
                      acceleration.shape(0) == potential.shape(0);
  if (!shapes || acceleration.dtype() != potential.dtype() || (!single && potential.dtype() != nb::dtype<double>())) {
    throw InputError("results must be arrays (N, 3) and (N), both in double or both in single precision");
  }
  return results_at(acceleration.data(), potential.data(), potential.size(), single);
}

ForceArrays arrays_of(const Numbers& position, const Numbers& mass, const std::optional<Numbers>& previous,
                      const NumbersOut& acceleration, const NumbersOut& potential) {
  const auto is_points = [](const Numbers& array) { return array.ndim() == 2 && array.shape(1) == 3; };
  if (!is_points(position) || mass.ndim() > 1 || (previous && !is_points(*previous))) {
    throw InputError("positions and accelerations must be arrays (N, 3), masses one number or an array (N)");
  }
  ForceArrays arrays;
  arrays.position = numbers_of(position);
  arrays.mass = numbers_of(mass);
  if (mass.ndim() == 0) arrays.mass = {arrays.mass[0], arrays.count()};
  if (previous) arrays.previous = numbers_of(*previous);
  arrays.results = results_of(acceleration, potential);
  return arrays;
}

/// An address on a GPU, and whether numbers there are in single precision.
using DeviceNumbers = std::pair<std::uintptr_t, bool>;

void* address_of(const DeviceNumbers& numbers) {
  return std::bit_cast<void*>(numbers.first);
}

NumberArray numbers_of(const DeviceNumbers& numbers, std::size_t size) {
  if (numbers.second) return std::span(static_cast<const float*>(address_of(numbers)), size);
  return std::span(static_cast<const double*>(address_of(numbers)), size);
}

/// Lives until the process ends, as its arrays may.
ResultMemory& result_memory() {
  static auto* const memory = new ResultMemory(most_kept_bytes());
  return *memory;
}

/// An array of this shape, not initialised; its memory is used again when the array is gone.
template <class... Shape>
auto new_result(Shape... shape) {
  auto* const data = static_cast<double*>(result_memory().allocate((sizeof(double) * ... * shape)));
  const nb::capsule owner(data, [](void* memory) noexcept { result_memory().deallocate(memory); });
  return nb::ndarray<nb::numpy, double, nb::c_contig>(data, {shape...}, owner);
}

/// The choices of a call, filled by Python and read by the sums.
struct ForceChoices {
  double softening = 0, g = 1, box = 0;
  std::string accuracy = "standard";
  std::optional<double> alpha, theta;
  std::string backend = "auto";
  int threads = 0;

  [[nodiscard]] ArrayForceOptions options() const {
    ArrayForceOptions options;
    options.softening = softening;
    options.gravitational_constant = g;
    options.box_size = box;
    options.walks = default_force();
    options.walks.mac = default_mac(theta.has_value(), alpha.has_value());
    options.walks.alpha = alpha.value_or(options.walks.alpha);
    options.walks.theta = theta.value_or(options.walks.theta);
    options.box.accuracy = static_cast<Accuracy>(place_of(accuracy, accuracy_names, "accuracy"));
    options.backend = backend;
    options.threads = threads;
    return options;
  }
};

using LockedNumbers = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;

LockedNumbers page_locked(std::size_t count) {
  if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double)) throw std::bad_alloc();
  static_cast<void>(borrow_solver("auto"));  // its back end page-locks the memory of particles
  const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(double);
  auto memory = std::make_unique<ParticleArray<double>>(std::max(bytes, least_page_locked) / sizeof(double));
  auto* const data = memory->data();
  const nb::capsule owner(memory.release(),
                          [](void* array) noexcept { delete static_cast<ParticleArray<double>*>(array); });
  return LockedNumbers(data, {count}, owner);
}

void bind_choices(nb::module_& module) {
  nb::class_<ForceChoices>(module, "ForceChoices")
      .def(nb::init<>())
      .def_rw("softening", &ForceChoices::softening)
      .def_rw("G", &ForceChoices::g)
      .def_rw("box", &ForceChoices::box)
      .def_rw("accuracy", &ForceChoices::accuracy)
      .def_rw("alpha", &ForceChoices::alpha, nb::arg().none())
      .def_rw("theta", &ForceChoices::theta, nb::arg().none())
      .def_rw("backend", &ForceChoices::backend)
      .def_rw("threads", &ForceChoices::threads);
}

}  // namespace

void bind_forces(nb::module_& module) {
  bind_choices(module);
  module.attr("default_alpha") = default_force().alpha;
  module.attr("most_particles") = most_array_particles;
  module.def(
      "new_results",
      [](std::size_t count) { return nb::make_tuple(new_result(count, std::size_t{3}), new_result(count)); }, "count"_a,
      "Accelerations (count, 3) and potentials (count), not initialised");
  module.def(
      "tree_forces",
      [](const Numbers& position, const Numbers& mass, const std::optional<Numbers>& previous,
         const NumbersOut& acceleration, const NumbersOut& potential, const ForceChoices& choices) {
        const ForceArrays arrays = arrays_of(position, mass, previous, acceleration, potential);
        const ArrayForceOptions options = choices.options();
        const nb::gil_scoped_release others_run;
        return tree_forces(arrays, options);
      },
      "position"_a.noconvert(), "mass"_a.noconvert(), "previous"_a.noconvert().none(), "acceleration"_a.noconvert(),
      "potential"_a.noconvert(), "choices"_a, "Fills acceleration and potential by trees; returns a warning or ''");
  module.def(
      "device_tree_forces",
      [](std::size_t count, const DeviceNumbers& position, const std::variant<DeviceNumbers, double>& mass,
         const std::optional<DeviceNumbers>& previous, const std::pair<DeviceNumbers, DeviceNumbers>& results,
         const ForceChoices& choices) {
        ForceArrays arrays;
        arrays.on_device = true;
        arrays.position = numbers_of(position, 3 * count);
        const auto* const one = std::get_if<double>(&mass);
        arrays.mass = one != nullptr ? NumberArray(*one, count) : numbers_of(std::get<DeviceNumbers>(mass), count);
        if (previous) arrays.previous = numbers_of(*previous, 3 * count);
        arrays.results = results_at(address_of(results.first), address_of(results.second), count, results.first.second);
        const ArrayForceOptions options = choices.options();
        const nb::gil_scoped_release others_run;
        return tree_forces(arrays, options);
      },
      "count"_a, "position"_a, "mass"_a, "previous"_a.none(), "results"_a, "choices"_a,
      "As tree_forces, with addresses on a GPU");
  module.def("page_locked", &page_locked, "count"_a,
             "An uninitialised array (count) that a GPU can read directly; plain memory without a GPU");
  module.def(
      "pair_forces",
      [](const Numbers& position, const Numbers& mass, const NumbersOut& acceleration, const NumbersOut& potential,
         const ForceChoices& choices) {
        const ForceArrays arrays = arrays_of(position, mass, std::nullopt, acceleration, potential);
        const ArrayForceOptions options = choices.options();
        const nb::gil_scoped_release others_run;
        pair_forces(arrays, options);
      },
      "position"_a.noconvert(), "mass"_a.noconvert(), "acceleration"_a.noconvert(), "potential"_a.noconvert(),
      "choices"_a, "Fills acceleration and potential by sums over all pairs");
}

}  // namespace multiwalk
