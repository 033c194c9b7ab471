// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/json_output.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "analysis/forces/force_error.hpp"
#include "run/files/atomic_file.hpp"

namespace multiwalk {

void write_json(const std::string& path, const nlohmann::json& json) {
  if (path.empty()) return;
  const std::string text = json_text(json, 2) + "\n";
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file_atomically(path, text);
  }
}

nlohmann::json percentiles_json(const ErrorPercentiles& e) {
  nlohmann::json json{{"median", e.median}, {"p90", e.p90}, {"p99", nullptr}, {"max", e.max}, {"sample", e.sample}};
  if (e.knows_p99()) json.update({{"p99", e.p99}, {"p99_interval", {e.p99_low, e.p99_high}}});
  return json;
}

std::string percentiles_text(const nlohmann::json& percentiles) {
  const auto& e = percentiles;
  const auto number = [&](const char* key) { return e.at(key).get<double>(); };
  std::string text = fmt::format("median {:.3g}, ", number("median"));
  if (e.at("p99").is_number()) {
    const nlohmann::json& interval = e.at("p99_interval");
    text += fmt::format("90% {:.3g}, 99% {:.3g} ({:.3g} to {:.3g}), ", number("p90"), number("p99"),
                        interval.at(0).get<double>(), interval.at(1).get<double>());
  }
  return text + fmt::format("max {:.3g} of {} particles", number("max"), e.at("sample").get<std::uint64_t>());
}

bool is_utf8(const std::string& text) {
  try {
    return nlohmann::json(text).dump().size() > 1;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace multiwalk
