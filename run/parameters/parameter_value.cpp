// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/parameter_value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

#include "host/base/error.hpp"
#include "run/files/json_output.hpp"
#include "run/formats/file_units.hpp"
#include "run/parameters/written_path.hpp"

namespace multiwalk {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

struct UnitName {
  std::string_view name;
  Quantity dimension;  // mpc_per_h: any length
  double size;         // kpc or minutes
  bool over_h;
};
constexpr UnitName unit_names[] = {
    {"Mpc/h", Quantity::mpc_per_h, 1000, true}, {"kpc/h", Quantity::mpc_per_h, 1, true},
    {"pc/h", Quantity::mpc_per_h, 1e-3, true},  {"Mpc", Quantity::mpc_per_h, 1000, false},
    {"kpc", Quantity::mpc_per_h, 1, false},     {"pc", Quantity::mpc_per_h, 1e-3, false},
    {"s", Quantity::hours, 1.0 / 60, false},    {"min", Quantity::hours, 1, false},
    {"h", Quantity::hours, 60, false},
};

/// The value as TOML, truncated if it is long.
std::string on_one_line(const toml::node& node) {
  constexpr std::size_t most = 60;
  if (node.is_table()) return "a table";
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  std::string text = out.str();
  std::ranges::replace(text, '\n', ' ');
  return text.size() > most ? text.substr(0, most) + "..." : text;
}

/// A value on its way into Parameters, with the names that its messages need.
struct Reader {
  const ParameterKey& key;
  const std::string& where;
  const UnitContext& context;

  [[noreturn]] void wrong_type(const toml::node& node, std::string_view wanted) const {
    throw InputError(fmt::format("{}: {} must be {}, not {}", where, key.name, wanted, on_one_line(node)));
  }

  void check_range(double value) const {
    if (key.range.contains(value)) return;
    const std::string range = key.range.text();
    throw InputError(fmt::format("{}: {} = {} is out of range: it must be {}", where, key.name, value,
                                 range.empty() ? "a finite number" : range));
  }

  [[nodiscard]] double quantity(const toml::node& node, const std::string& text) const {
    double number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    const bool time = key.quantity == Quantity::hours;
    const std::string_view wanted = time ? "a time such as \"30 min\", \"2 h\" or \"90 s\""
                                         : "a length such as \"150 Mpc\", \"60 Mpc/h\" or \"20 kpc/h\"";
    if (status != std::errc{} || unit.empty()) wrong_type(node, wanted);
    for (const UnitName& name : unit_names) {
      if (name.name != unit || (name.dimension == Quantity::hours) != time) continue;
      if (time) return number * name.size / 60;
      if (context.model_units)
        throw InputError(
            fmt::format("{}: {} is in model units here: give a plain number, not \"{}\"", where, key.name, text));
      return number * name.size * (name.over_h ? 1.0 : context.h) / (key.quantity == Quantity::mpc_per_h ? 1000 : 1);
    }
    wrong_type(node, wanted);
  }

  [[nodiscard]] double number(const toml::node& node) const {
    double value = 0;
    const auto text = node.value_exact<std::string>();
    if (const auto integer = node.value_exact<std::int64_t>())
      value = static_cast<double>(*integer);
    else if (const auto real = node.value_exact<double>())
      value = *real;
    else if (text && key.automatic && *text == "auto")
      return *key.automatic;
    else if (text && key.quantity != Quantity::plain)
      value = quantity(node, *text);
    else
      wrong_type(node, key.automatic ? "a number or \"auto\"" : "a number");
    check_range(value);
    return value;
  }

  /// Whole numbers, also written as 1e6; exact to 2^63.
  template <class T>
  [[nodiscard]] T integer(const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    if (text && key.automatic && *text == "auto") return static_cast<T>(*key.automatic);
    const auto real = node.value_exact<double>();
    auto value = node.value_exact<std::int64_t>();
    if (real && std::isfinite(*real) && *real == std::floor(*real) && std::fabs(*real) < 9e15)
      value = static_cast<std::int64_t>(*real);
    if (real && !value) check_range(*real);
    if (!value) wrong_type(node, key.automatic ? "a whole number or \"auto\"" : "a whole number");
    check_range(static_cast<double>(*value));
    if (!std::in_range<T>(*value)) throw InputError(fmt::format("{}: {} = {} is too large", where, key.name, *value));
    return static_cast<T>(*value);
  }

  void read(const toml::node& node, bool& out) const {
    if (!node.is_boolean()) wrong_type(node, "true or false");
    out = *node.value_exact<bool>();
  }
  void read(const toml::node& node, double& out) const { out = number(node); }
  void read(const toml::node& node, std::optional<double>& out) const { out = number(node); }
  /// A unit's name, or the number of a unit in cgs as its text.
  void unit(const toml::node& node, Dimension dimension, std::string& out) const {
    constexpr std::array wanted{"a unit such as \"kpc/h\" or \"Mpc\", or a number in cm/h",
                                "a unit such as \"1e10 Msun/h\", or a number in g/h",
                                "a unit such as \"km/s\", or a number in cm/s"};
    if (const auto text = node.value_exact<std::string>())
      out = *text;
    else if (node.is_number())
      out = fmt::format("{}", number(node));
    else
      wrong_type(node, wanted[static_cast<std::size_t>(dimension)]);
    if (!out.empty() && !parse_file_unit(out, dimension)) wrong_type(node, wanted[static_cast<std::size_t>(dimension)]);
  }
  [[nodiscard]] std::string path(const std::string& text) const {
    try {
      return expanded_path(text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", where, error.what()));
    }
  }
  void read(const toml::node& node, std::string& out) const {
    if (key.quantity == Quantity::unit_of_length) return unit(node, Dimension::length, out);
    if (key.quantity == Quantity::unit_of_mass) return unit(node, Dimension::mass, out);
    if (key.quantity == Quantity::unit_of_velocity) return unit(node, Dimension::velocity, out);
    if (!node.is_string()) wrong_type(node, "a text in quotes");
    out = *node.value_exact<std::string>();
    if (!is_utf8(out)) throw InputError(fmt::format("{}: {} is not UTF-8 text, as reports need it", where, key.name));
    if (key.quantity == Quantity::path) out = path(out);
  }
  template <std::integral T>
  void read(const toml::node& node, T& out) const {
    out = integer<T>(node);
  }
  template <class T>
  void read(const toml::node& node, std::vector<T>& out) const {
    const toml::array* array = node.as_array();
    if (!array) wrong_type(node, "a list such as [3, 2, 1]");
    out.resize(array->size());
    for (std::size_t i = 0; i < out.size(); ++i) read(*array->get(i), out[i]);
  }
  [[nodiscard]] std::size_t word(const toml::node& node, const Choice& choice) const {
    const auto text = node.value_exact<std::string>();
    for (std::size_t i = 0; i < choice.names.size(); ++i)
      if (text && *text == choice.names[i]) return i;
    wrong_type(node, fmt::format("one of \"{}\"", fmt::join(choice.names, "\", \"")));
  }
};

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

/// Shortest text that reads back to the same double, with a point or an exponent.
std::string format(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}
std::string format(bool value) {
  return value ? "true" : "false";
}
std::string format(const std::string& value) {
  return quoted(value);
}
std::string format(const std::optional<double>& value) {
  return value ? format(*value) : std::string{};
}
template <std::integral T>
std::string format(T value) {
  return fmt::format("{}", value);
}
template <class T>
std::string format(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ", ") + format(value);
  return "[" + text + "]";
}

ParameterData data_of(bool value) {
  return std::int64_t{value};
}
ParameterData data_of(double value) {
  return value;
}
ParameterData data_of(const std::string& value) {
  return value;
}
template <std::integral T>
ParameterData data_of(T value) {
  return static_cast<std::int64_t>(value);
}
template <class T>
ParameterData data_of(const std::vector<T>& values) {
  return std::vector<double>(values.begin(), values.end());
}

}  // namespace

bool Range::contains(double value) const {
  return std::isfinite(value) && (lo_open ? value > lo : value >= lo) && (hi_open ? value < hi : value <= hi);
}

std::string Range::text() const {
  const std::string low = std::isfinite(lo) ? fmt::format("{} {}", lo_open ? ">" : ">=", lo) : "";
  const std::string high = std::isfinite(hi) ? fmt::format("{} {}", hi_open ? "<" : "<=", hi) : "";
  return low + (low.empty() || high.empty() ? "" : " and ") + high;
}

std::optional<double> length_of(const std::string& text, const UnitContext& context) {
  double number = 0;
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const auto [end, status] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
  std::string unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  unit.erase(0, unit.find_first_not_of(' '));
  unit.erase(unit.find_last_not_of(' ') + 1);
  if (status != std::errc{} || !std::isfinite(number)) return std::nullopt;
  if (unit.empty()) return number;
  for (const UnitName& name : unit_names) {
    if (context.model_units || name.name != unit || name.dimension != Quantity::mpc_per_h) continue;
    return number * name.size * (name.over_h ? 1.0 : context.h) / 1000;
  }
  return std::nullopt;
}

void set_parameter(const ParameterKey& key, const toml::node& node, const std::string& where,
                   const UnitContext& context, Parameters& parameters) {
  const Reader reader{key, where, context};
  std::visit(Overloaded{[&](const Choice& choice) { choice.set(parameters, reader.word(node, choice)); },
                        [&](auto member) { reader.read(node, member(parameters)); }},
             key.field);
}

std::optional<ParameterData> parameter_data(const ParameterKey& key, const Parameters& parameters) {
  using Data = std::optional<ParameterData>;
  Parameters copy = parameters;
  return std::visit(
      Overloaded{[&](const Choice& choice) -> Data { return std::string(choice.names[choice.get(copy)]); },
                 [&](MemberOf<std::optional<double>> member) -> Data {
                   const auto& value = member(copy);
                   return value ? Data(*value) : std::nullopt;
                 },
                 [&]<class T>(MemberOf<T> member) -> Data {
                   const T& value = member(copy);
                   if constexpr (std::is_arithmetic_v<T>)
                     if (key.automatic && static_cast<double>(value) == *key.automatic) return std::string("auto");
                   if constexpr (requires { value.empty(); } && !std::is_same_v<T, std::string>)
                     if (value.empty()) return std::nullopt;
                   return data_of(value);
                 }},
      key.field);
}

std::string format_parameter(const ParameterKey& key, const Parameters& parameters) {
  Parameters copy = parameters;
  return std::visit(
      Overloaded{[&](const Choice& choice) { return quoted(std::string(choice.names[choice.get(copy)])); },
                 [&](auto member) {
                   const auto& value = member(copy);
                   if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
                     if (key.automatic && static_cast<double>(value) == *key.automatic) return std::string("\"auto\"");
                   return format(value);
                 }},
      key.field);
}

}  // namespace multiwalk
