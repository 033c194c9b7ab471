// SPDX-License-Identifier: GPL-3.0-or-later
// Structures as JSON objects and back, from one list of their fields:
//   template <class Visit, class S> requires std::same_as<std::remove_const_t<S>, Thing>
//   void fields(Visit& visit, S& thing) { visit("name", thing.name); ... }
// Numbers that are not finite are written as null and read as NaN; whole numbers are checked when read.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "run/files/json_input.hpp"

namespace multiwalk {

template <class T>
nlohmann::json fields_to_json(const T& value);
template <class T>
T fields_from_json(const nlohmann::json& json);

namespace json_fields {

using nlohmann::json;

template <class T>
inline constexpr bool is_plain = std::is_arithmetic_v<T> || std::same_as<T, std::string> || std::same_as<T, json>;

template <class T>
json write(const T& value) {
  if constexpr (is_plain<T>) {
    return value;
  } else {
    return fields_to_json(value);
  }
}
template <class T>
json write(const std::optional<T>& value) {
  return value ? write(*value) : json();
}
template <class T>
json write(const std::vector<T>& values) {
  json list = json::array();
  for (const T& value : values) list.push_back(write(value));
  return list;
}

template <class T>
void read(const json& from, T& value) {
  if constexpr (std::same_as<T, double>) {
    value = from.is_null() ? std::numeric_limits<double>::quiet_NaN() : from.get<double>();
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = static_cast<T>(whole_number(from));
  } else if constexpr (is_plain<T>) {
    value = from.get<T>();
  } else {
    value = fields_from_json<T>(from);
  }
}
template <class T>
void read(const json& from, std::optional<T>& value) {
  value.reset();
  if (!from.is_null()) read(from, value.emplace());
}
template <class T>
void read(const json& from, std::vector<T>& values) {
  values.clear();
  for (const json& item : from) read(item, values.emplace_back());
}

struct Writer {
  json object = json::object();
  template <class T>
  void operator()(const char* name, const T& value) {
    object[name] = write(value);
  }
};
struct Reader {
  const json& object;
  template <class T>
  void operator()(const char* name, T& value) {
    read(object.at(name), value);
  }
};

}  // namespace json_fields

template <class T>
nlohmann::json fields_to_json(const T& value) {
  json_fields::Writer writer;
  fields(writer, value);
  return std::move(writer.object);
}

/// Throws nlohmann::json::exception if a field is missing or of another type.
template <class T>
T fields_from_json(const nlohmann::json& json) {
  T value;
  json_fields::Reader reader{json};
  fields(reader, value);
  return value;
}

}  // namespace multiwalk
