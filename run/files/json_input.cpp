// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/json_input.hpp"

#include <fmt/format.h>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/checksum.hpp"

namespace multiwalk {

using nlohmann::json;

namespace {

constexpr const char* seal = "checksum";

/// The checksum of all values but the seal.
std::uint32_t checksum_of_values(json object) {
  object.erase(seal);
  const std::string text = object.dump(-1, ' ', false, json::error_handler_t::replace);
  return checksum_of(std::as_bytes(std::span(text)));
}

}  // namespace

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

std::string values_refusal(const std::string& where, const json::exception& error) {
  constexpr int missing_key = 403;
  const std::string text = error.what();
  const std::size_t from = text.find('\''), end = text.find('\'', from + 1);
  const bool key = error.id == missing_key && end != std::string::npos;
  return fmt::format("{} {}: it is damaged or of another version of the program", where,
                     key ? "lacks " + text.substr(from + 1, end - from - 1)
                         : "has a value of a type that this program does not write");
}

json sealed(json object) {
  object[seal] = checksum_of_values(object);
  return object;
}

bool is_sealed(const json& object) {
  const auto found = object.is_object() ? object.find(seal) : object.end();
  return found != object.end() && found->is_number_unsigned() && *found == checksum_of_values(object);
}

std::uint64_t whole_number(const json& value) {
  if (value.is_number_integer() && value >= 0) return value.get<std::uint64_t>();
  return value.get_ref<const json::number_unsigned_t&>();  // throws
}

}  // namespace multiwalk
