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

/// A text such as "150 Mpc".
struct Measure {
  double number = 0;
  bool is_number;
  std::string_view unit;

  explicit Measure(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    is_number = status == std::errc{};
    unit = text.substr(static_cast<std::size_t>(end - text.data()));
    unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
    unit = unit.substr(0, unit.find_last_not_of(' ') + 1);
  }
  /// Null if it is not a number with a unit of this kind.
  [[nodiscard]] const UnitName* unit_of(Quantity dimension) const {
    const auto* found = std::ranges::find_if(
        unit_names, [&](const UnitName& name) { return name.name == unit && name.dimension == dimension; });
    return is_number && found != std::end(unit_names) ? found : nullptr;
  }
  [[nodiscard]] double kpc_per_h(const UnitName& length, double h) const {
    return number * length.size * (length.over_h ? 1.0 : h);
  }
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
    const bool time = key.quantity == Quantity::hours;
    const Measure given(text);
    const UnitName* unit = given.unit_of(time ? Quantity::hours : Quantity::mpc_per_h);
    if (unit == nullptr) {
      wrong_type(node, time ? "a time such as \"30 min\", \"2 h\" or \"90 s\""
                            : "a length such as \"150 Mpc\", \"60 Mpc/h\" or \"20 kpc/h\"");
    }
    if (time) return given.number * unit->size / 60;
    if (context.model_units) {
      throw InputError(
          fmt::format("{}: {} is in model units here: give a plain number, not \"{}\"", where, key.name, text));
    }
    return given.kpc_per_h(*unit, context.h) / (key.quantity == Quantity::mpc_per_h ? 1000 : 1);
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
    const std::vector<std::string_view>& names = choice.words.names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (text && *text == names[i]) return i;
    wrong_type(node, fmt::format("one of \"{}\"", fmt::join(names, "\", \"")));
  }
};

/// Whether it is the value of the word "auto".
template <class T>
bool is_automatic(const ParameterKey& key, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) return key.automatic && static_cast<double>(value) == *key.automatic;
  return false;
}

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

template <class T>
std::string format(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return quoted(value);
  } else if constexpr (std::is_same_v<T, std::optional<double>>) {
    return value ? format(*value) : "";
  } else if constexpr (std::is_arithmetic_v<T>) {
    // The shortest text that reads back to the same number; of a double with a point or an exponent.
    std::string text = fmt::format("{}", value);
    if (std::is_same_v<T, double> && text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  } else {
    std::string text;
    for (const auto& each : value) text += (text.empty() ? "" : ", ") + format(each);
    return "[" + text + "]";
  }
}

template <class T>
std::optional<ParameterData> data_of(const T& value) {
  if constexpr (std::is_same_v<T, std::optional<double>>) {
    return value ? data_of(*value) : std::nullopt;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    return value;
  } else {
    if (value.empty()) return std::nullopt;
    return std::vector<double>(value.begin(), value.end());
  }
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
  const Measure given(text);
  if (!given.is_number || !std::isfinite(given.number)) return std::nullopt;
  if (given.unit.empty()) return given.number;
  const UnitName* unit = given.unit_of(Quantity::mpc_per_h);
  if (context.model_units || unit == nullptr) return std::nullopt;
  return given.kpc_per_h(*unit, context.h) / 1000;
}

void set_parameter(const ParameterKey& key, const toml::node& node, const std::string& where,
                   const UnitContext& context) {
  const Reader reader{key, where, context};
  std::visit(Overloaded{[&](const Choice& choice) { choice.set(reader.word(node, choice)); },
                        [&](auto* value) { reader.read(node, *value); }},
             key.field);
}

std::optional<ParameterData> parameter_data(const ParameterKey& key) {
  using Data = std::optional<ParameterData>;
  return std::visit(
      Overloaded{[](const Choice& choice) -> Data { return std::string(choice.word()); },
                 [&](const auto* value) -> Data { return is_automatic(key, *value) ? Data("auto") : data_of(*value); }},
      key.field);
}

std::string format_parameter(const ParameterKey& key) {
  return std::visit(Overloaded{[](const Choice& choice) { return quoted(std::string(choice.word())); },
                               [&](const auto* value) {
                                 return is_automatic(key, *value) ? std::string("\"auto\"") : format(*value);
                               }},
                    key.field);
}

}  // namespace multiwalk
