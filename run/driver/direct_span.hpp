// SPDX-License-Identifier: GPL-3.0-or-later
// The work of one rank between two diagnostics of a direct run.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "run/files/json_input.hpp"
#include "run/records/rank_timings.hpp"

namespace multiwalk {

/// A checkpoint within a span stores the part so far.
struct DirectSpan {
  RankTimings own;
  std::uint64_t pairs = 0, steps = 0, body_steps = 0;

  [[nodiscard]] nlohmann::json json() const {
    return {{"seconds", seconds_json(own.seconds)},
            {"waiting", own.waiting},
            {"bytes_sent", own.bytes_sent},
            {"pairs", pairs},
            {"steps", steps},
            {"body_steps", body_steps}};
  }
  static DirectSpan from(const nlohmann::json& json) {
    DirectSpan span;
    span.own.seconds = seconds_from_json(json.at("seconds"));
    json.at("waiting").get_to(span.own.waiting);
    json.at("bytes_sent").get_to(span.own.bytes_sent);
    span.pairs = whole_number(json.at("pairs"));
    span.steps = whole_number(json.at("steps"));
    span.body_steps = whole_number(json.at("body_steps"));
    return span;
  }
};

}  // namespace multiwalk
