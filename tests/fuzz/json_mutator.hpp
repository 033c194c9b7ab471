// SPDX-License-Identifier: GPL-3.0-or-later
// Changes to JSON values after which they are still JSON.
#pragma once

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace multiwalk::fuzz {

/// A value somewhere inside, found by choosing random members.
inline nlohmann::json& any_value(nlohmann::json& value, std::minstd_rand& random) {
  if (!value.is_structured() || value.empty() || random() % 8 == 0) return value;
  return any_value(*std::next(value.begin(), static_cast<std::ptrdiff_t>(random() % value.size())), random);
}

inline void change(nlohmann::json& value, std::minstd_rand& random) {
  using nlohmann::json;
  const json others[] = {nullptr,
                         true,
                         0,
                         -1,
                         1e308,
                         1e-308,
                         18446744073709551615U,
                         "",
                         "text",
                         json::array(),
                         json::object(),
                         {1, nullptr},
                         {{"mean", 1}}};
  const auto any_place = [&] { return static_cast<std::ptrdiff_t>(random() % value.size()); };
  switch (value.is_structured() && !value.empty() ? random() % 4 : 3) {
    case 0:
      value.erase(std::next(value.begin(), any_place()));
      break;
    case 1:
      if (value.is_array()) value.push_back(*std::next(value.begin(), any_place()));
      break;
    case 2:
      *std::next(value.begin(), any_place()) = *std::next(value.begin(), any_place());
      break;
    default:
      value = others[random() % std::size(others)];
  }
}

/// The text of `json` with one value changed; empty if it is not JSON.
inline std::string changed_json(const std::string& text, std::minstd_rand& random) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return "";
  change(any_value(json, random), random);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace multiwalk::fuzz
