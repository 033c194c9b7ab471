// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a light cone in a checkpoint, from which a run goes on: its JSON, a byte 0, and the bytes of its maps.
#include <filesystem>

#include "run/files/json_input.hpp"
#include "run/sky/light_cone.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/json_mutator.hpp"

using namespace multiwalk;

namespace {

/// A small full sky in two shells.
Parameters cone_parameters() {
  Parameters parameters;
  LightConeParameters& cone = parameters.lightcone;
  cone.shells = cone.particles = cone.shell_velocities = true;
  cone.nside = 1;
  cone.shell_count = 2;
  cone.z_near = 0;
  cone.z_far = 0.01;
  parameters.run.directory = "/dev/shm/multiwalk_fuzz_cone_" + std::to_string(::getpid());
  std::filesystem::create_directories(parameters.run.directory);
  return parameters;
}

ParticleSystem box_of_one() {
  ParticleSystem system;
  system.frame = Frame::comoving;
  system.boundary = Boundary::periodic;
  system.time = 0.5;
  system.box_size = 50;
  system.particles.resize(1);
  system.particles.position[0] = {1, 2, 3};
  system.particles.mass[0] = 1;
  return system;
}

nlohmann::json saved(const OutputState* stored) {
  static const Parameters parameters = cone_parameters();
  static const ParticleSystem system = box_of_one();
  LightCone cone(parameters, system, {}, stored, [](const std::string&) {});
  return cone.save(0).json;
}

/// "own" as the settings stands for those of the parameters.
void go_on_from(const std::string& json, std::span<const std::uint8_t> rest) {
  static const nlohmann::json own = saved(nullptr).at("settings");
  const std::span<const std::byte> bytes = std::as_bytes(rest);
  OutputState state{parse_json(json, "state"), {bytes.begin(), bytes.end()}};
  if (state.json.is_object() && state.json.value("settings", nlohmann::json()) == "own") state.json["settings"] = own;
  saved(&state);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

/// Mostly one value of the JSON changes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes, std::size_t most, unsigned seed) {
  std::minstd_rand random(seed + 1);
  const std::string all(reinterpret_cast<const char*>(data), bytes);
  const std::size_t end = std::min(all.find('\0'), all.size());
  std::string text;
  if (random() % 4 != 0) text = fuzz::changed_json(all.substr(0, end), random);
  if (text.empty() || text.size() + all.size() - end > most) return LLVMFuzzerMutate(data, bytes, most);
  text += all.substr(end);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::span<const std::uint8_t> all(data, bytes);
  const std::size_t end = static_cast<std::size_t>(std::ranges::find(all, 0) - all.begin());
  fuzz::expect_input_error_at_most([&] {
    go_on_from({reinterpret_cast<const char*>(data), end}, all.subspan(std::min(bytes, end + 1)));
  });
  return 0;
}
