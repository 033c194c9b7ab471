// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/json_output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "analysis/forces/force_error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/printable.hpp"

namespace multiwalk {

void write_json(const std::string& path, const nlohmann::json& value) {
  if (path.empty()) return;
  const std::string text = json_text(value, 2) + "\n";
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file_atomically(path, text);
  }
}

nlohmann::json percentiles_json(const ErrorPercentiles& e) {
  nlohmann::json figures{{"median", e.median}, {"p90", e.p90}, {"p99", nullptr}, {"max", e.max}, {"sample", e.sample}};
  if (e.knows_p99()) figures.update({{"p99", e.p99}, {"p99_interval", {e.p99_low, e.p99_high}}});
  if (e.median_high > 0) figures["median_interval"] = {e.median_low, e.median_high};
  return figures;
}

std::string interval_text(const nlohmann::json& percentiles, const char* key) {
  const nlohmann::json interval = percentiles.is_object() ? percentiles.value(key, nlohmann::json()) : nlohmann::json();
  const bool known = interval.is_array() && interval.size() == 2 && interval[0].is_number() && interval[1].is_number();
  return known ? fmt::format("{:.1e} to {:.1e}", interval[0].get<double>(), interval[1].get<double>()) : "";
}

std::string tail_column(const nlohmann::json& e) {
  if (!e.at("p99").is_number()) {
    const std::string interval = interval_text(e, "median_interval");
    return fmt::format("{:>30}", interval.empty() ? "-" : "median in " + interval);
  }
  return fmt::format("{:>9.2e} ({})", e.at("p99").get<double>(), interval_text(e, "p99_interval"));
}

std::string percentiles_text(const nlohmann::json& percentiles) {
  const auto& e = percentiles;
  const auto number = [&](const char* key) { return e.at(key).get<double>(); };
  std::string text = fmt::format("median {:.3g}", number("median"));
  if (e.at("p99").is_number()) {
    text +=
        fmt::format(", 90% {:.3g}, 99% {:.3g} ({}), ", number("p90"), number("p99"), interval_text(e, "p99_interval"));
  } else {
    const std::string interval = interval_text(e, "median_interval");
    text += (interval.empty() ? "" : " (" + interval + ")") + ", ";
  }
  return text + fmt::format("max {:.3g} of {} particles", number("max"), e.at("sample").get<std::uint64_t>());
}

bool is_utf8(const std::string& text) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = utf8_length(rest);
    if (length == 0) return false;
    rest.remove_prefix(length);
  }
  return true;
}

std::string json_text(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string plain_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

}  // namespace multiwalk
