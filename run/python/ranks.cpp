// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/ranks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/borrowed_communicator.hpp"
#include "run/python/threads/turns.hpp"

namespace multiwalk {

namespace nb = nanobind;
using namespace nb::literals;

std::function<void(const std::string&)> say_from(const nb::object& function) {
  if (function.is_none()) return {};
  const std::shared_ptr<nb::object> held(new nb::object(function), [](nb::object* last) {
    const nb::gil_scoped_acquire lock;
    delete last;
  });
  return [held](const std::string& text) {
    const nb::gil_scoped_acquire lock;
    try {
      (*held)(nb::str(text.data(), text.size()));
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
    }
  };
}

void bind_ranks(nb::module_& module) {
  nb::class_<Ranks>(module, "Ranks", "The ranks that work together; one alone unless a communicator is given")
      .def(nb::init<>())
      .def(
          "__init__",
          [](Ranks* place, std::uintptr_t address, const std::string& their_mpi) {
            const nb::gil_scoped_release others_run;
            const MpiTurn mpi(true);
            new (place) Ranks{borrow_communicator(std::bit_cast<const void*>(address), their_mpi)};
          },
          "address"_a, "their_mpi"_a)
      .def_prop_ro("rank", [](const Ranks& ranks) { return ranks.comm.rank(); })
      .def_prop_ro("size", [](const Ranks& ranks) { return ranks.comm.size(); })
      .def(
          "agree",
          [](const Ranks& ranks, const std::optional<std::string>& failure) {
            const nb::gil_scoped_release others_run;
            const MpiTurn mpi(ranks.comm);
            agree_on_success(ranks.comm, failure);
          },
          "failure"_a.none(), "Raises InputError on all ranks if any has a failure");
}

}  // namespace multiwalk
