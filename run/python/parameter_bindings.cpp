// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "host/base/error.hpp"
#include "run/parameters/parameter_table.hpp"
#include "run/parameters/parameters.hpp"
#include "run/python/module.hpp"

namespace multiwalk {

namespace {

namespace nb = nanobind;
using namespace nb::literals;

nb::object word(std::string_view text) {
  return nb::str(text.data(), text.size());
}

template <class T>
nb::object number_or_word(const ParameterKey& key, const T& value) {
  if constexpr (std::is_same_v<T, std::optional<double>>) {
    return value ? nb::cast(*value) : nb::none();
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    return key.automatic && static_cast<double>(value) == *key.automatic ? word("auto") : nb::cast(value);
  } else {
    return nb::cast(value);
  }
}

/// As Python has it: a number, a bool, a str, a list, or None for an optional number that is absent.
nb::object value_of(Parameters parameters, const std::string& name) {
  const std::vector<ParameterKey> rows = parameter_keys(parameters);
  const auto key = std::ranges::find(rows, name, &ParameterKey::name);
  if (key == rows.end()) throw InputError("unknown key " + name + "; " + key_advice(name));
  if (const auto* choice = std::get_if<Choice>(&key->field)) return word(choice->word());
  return std::visit(
      [&](const auto& field) -> nb::object {
        if constexpr (std::is_same_v<decltype(field), const Choice&>)
          return nb::none();
        else
          return number_or_word(*key, *field);
      },
      key->field);
}

std::vector<std::string> names_of_keys() {
  std::vector<std::string> names;
  for (const ParameterKey& key : parameter_table()) names.emplace_back(key.name);
  return names;
}

}  // namespace

void bind_parameters(nb::module_& module) {
  nb::class_<Parameters>(module, "CheckedParameters", "Parameters that have passed all checks")
      .def(nb::new_([](const std::string& text, const std::string& name, const std::vector<std::string>& settings) {
             return parse_parameters(text, name, settings, "");
           }),
           "text"_a, "name"_a, "settings"_a)
      .def("value", &value_of, "name"_a)
      .def(
          "is_given", [](const Parameters& p, const std::string& name) { return p.given.count(name) > 0; }, "name"_a)
      .def("to_toml", &to_toml);
  nb::class_<ParameterKey>(module, "ParameterHelp")
      .def_prop_ro("key", [](const ParameterKey& row) { return std::string(row.name); })
      .def_prop_ro("unit", [](const ParameterKey& row) { return std::string(row.unit); })
      .def_prop_ro("default_value", &format_parameter)
      .def_prop_ro("range", &allowed_values)
      .def_prop_ro("help", [](const ParameterKey& row) { return std::string(row.help); });
  module.def(
      "parameter_help", [] { return std::vector<ParameterKey>(parameter_table().begin(), parameter_table().end()); },
      "One row per key of the parameter file");
  module.def("parameter_names", &names_of_keys);
  module.def(
      "key_advice", [](const std::string& name) { return key_advice(name); }, "name"_a);
  module.def(
      "length_from",
      [](const std::string& text, double h) {
        const Parameters parsed = parse_parameters(
            "", "length", {"model.kind=sphere", fmt::format("cosmology.h={}", h), "model.radius=" + text}, "");
        return parsed.model.radius;
      },
      "text"_a, "h"_a, "A length such as '20 Mpc' in Mpc/h");
}

}  // namespace multiwalk
