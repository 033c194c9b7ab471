// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/json_input.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"

namespace multiwalk {

using nlohmann::json;

json parse_json(const std::string& text, const std::string& where) {
  constexpr int most_levels = 64;
  const auto refuse_deep = [&](int depth, json::parse_event_t, const json&) {
    if (depth > most_levels) {
      throw InputError(fmt::format("{}: lists and objects are nested more than {} deep", where, most_levels));
    }
    return true;
  };
  try {
    return json::parse(text, refuse_deep);
  } catch (const json::parse_error& error) {
    if (error.byte > text.size())
      throw InputError(fmt::format("{}: ends too early, after {} bytes", where, text.size()));
    throw InputError(fmt::format("{}: is not JSON from byte {} on", where, error.byte));
  } catch (const json::exception&) {
    throw InputError(where + ": holds a number that is too large");
  }
}

json read_json(const std::string& path) {
  return parse_json(read_whole_file(path), path);
}

std::uint64_t whole_number(const json& value) {
  if (value.is_number_integer() && value >= 0) return value.get<std::uint64_t>();
  return value.get_ref<const json::number_unsigned_t&>();  // throws
}

}  // namespace multiwalk
