// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/direct_state.hpp"

#include <array>

#include "host/base/error.hpp"
#include "host/time/block_ticks.hpp"
#include "run/files/json_input.hpp"

namespace multiwalk {

namespace {

nlohmann::json frame_json(const DirectFrame& frame) {
  return {frame.centre.x,   frame.centre.y, frame.centre.z, frame.velocity.x, frame.velocity.y,
          frame.velocity.z, frame.length,   frame.speed,    frame.mass,       frame.full ? 1.0 : 0.0};
}

DirectFrame frame_from_json(const nlohmann::json& json) {
  const auto numbers = json.get<std::array<double, 10>>();
  return {{numbers[0], numbers[1], numbers[2]},
          {numbers[3], numbers[4], numbers[5]},
          numbers[6],
          numbers[7],
          numbers[8],
          numbers[9] != 0};
}

}  // namespace

nlohmann::json state_json(const DirectState& state) {
  return {{"time", state.time},
          {"started", state.started},
          {"half_kicked", state.half_kicked},
          {"step", state.step},
          {"block_begin", state.block_begin},
          {"block_end", state.block_end},
          {"tick", state.tick},
          {"frame", state.frame ? frame_json(*state.frame) : nlohmann::json()}};
}

DirectState state_from_json(const nlohmann::json& json) {
  DirectState state;
  json.at("time").get_to(state.time);
  json.at("started").get_to(state.started);
  json.at("half_kicked").get_to(state.half_kicked);
  json.at("step").get_to(state.step);
  json.at("block_begin").get_to(state.block_begin);
  json.at("block_end").get_to(state.block_end);
  state.tick = whole_number(json.at("tick"));
  if (state.tick > BlockTicks::ticks) throw InputError("the integrator's state in the checkpoint is damaged: tick");
  if (json.contains("frame") && !json.at("frame").is_null()) state.frame = frame_from_json(json.at("frame"));
  return state;
}

}  // namespace multiwalk
