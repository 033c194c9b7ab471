// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/files/json_output.hpp"
#include "run/files/printable.hpp"
#include "run/machine/version.hpp"

namespace multiwalk {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* manifest_file = "/ensemble.json";

template <class T>
json known_or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json state_json(const RealisationState& state) {
  const bool began = state.seconds > 0;
  return {{"seed", state.realisation.seed},
          {"paired", state.realisation.paired},
          {"directory", state.realisation.name()},
          {"state", progression_name(state.progression)},
          {"wall_seconds", began ? json(state.seconds) : json()},
          {"joules", known_or_null(state.joules)},
          {"cost", known_or_null(state.cost)},
          {"error", state.error.empty() ? json() : json(state.error)}};
}

std::optional<double> number_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

RealisationState state_from(const json& row) {
  RealisationState state{.realisation = {whole_number(row.at("seed")), row.at("paired").get<bool>()}};
  for (const Progression known :
       {Progression::waiting, Progression::unfinished, Progression::failed, Progression::finished}) {
    if (row.at("state") == progression_name(known)) state.progression = known;
  }
  state.seconds = number_of(row.at("wall_seconds")).value_or(0);
  state.joules = number_of(row.at("joules"));
  state.cost = number_of(row.at("cost"));
  if (row.at("error").is_string()) state.error = row.at("error");
  return state;
}

void sort_by_seed(std::vector<RealisationState>& states) {
  std::ranges::sort(states, {}, &RealisationState::realisation);
}

}  // namespace

std::size_t Manifest::count(Progression progression) const {
  return static_cast<std::size_t>(std::ranges::count(realisations, progression, &RealisationState::progression));
}

std::string Manifest::names(Progression progression) const {
  constexpr std::size_t most_named = 4;
  std::vector<std::string> found;
  for (const RealisationState& state : realisations) {
    if (state.progression == progression) found.push_back(state.realisation.name());
  }
  const std::size_t more = found.size() - std::min(found.size(), most_named);
  found.resize(found.size() - more);
  return fmt::format("{}{}", fmt::join(found, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

json manifest_json(const Manifest& manifest) {
  json rows = json::array();
  for (const RealisationState& state : manifest.realisations) rows.push_back(state_json(state));
  return {{"version", manifest.version},
          {"parameter_file", manifest.parameter_file},
          {"settings", manifest.settings},
          {"currency", manifest.currency},
          {"realisations", rows}};
}

Manifest read_manifest(const std::string& directory) {
  const std::string path = directory + manifest_file;
  if (!fs::exists(path)) return {};
  try {
    const json from = read_json(path);
    return values_from(path, [&] {
      if (!is_sealed(from)) throw InputError(path + " is damaged or of another version of the program");
      Manifest manifest{from.at("version"), from.at("parameter_file"), from.at("settings"), from.at("currency"), {}};
      for (const json& row : from.at("realisations")) manifest.realisations.push_back(state_from(row));
      sort_by_seed(manifest.realisations);
      return manifest;
    });
  } catch (const InputError& error) {
    warn_on_stderr(error.what() + std::string(": made anew from the folders of the realisations"));
  }
  return {};
}

Manifest looked_up_manifest(const std::string& directory, const Manifest& asked) {
  const Manifest before = read_manifest(directory);
  Manifest manifest = asked.parameter_file.empty() ? before : asked;
  std::set<Realisation> all;
  for (const Manifest* part : {&before, &asked}) {
    for (const RealisationState& state : part->realisations) all.insert(state.realisation);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (const auto found = realisation_named(entry.path().filename().string()); found && entry.is_directory()) {
      all.insert(*found);
    }
  }
  manifest.version = version_short();
  manifest.realisations.clear();
  for (const Realisation& realisation : all) manifest.realisations.push_back(look_at(directory, realisation));
  return manifest;
}

Manifest update_manifest(const std::string& directory, const RealisationState& state) {
  Manifest manifest = read_manifest(directory);
  const auto found = std::ranges::find(manifest.realisations, state.realisation, &RealisationState::realisation);
  if (found != manifest.realisations.end()) {
    *found = state;
  } else {
    manifest.realisations.push_back(state);
    sort_by_seed(manifest.realisations);
  }
  write_manifest(directory, manifest);
  return manifest;
}

void write_manifest(const std::string& directory, const Manifest& manifest) {
  write_file_atomically(directory + manifest_file, json_text(sealed(manifest_json(manifest)), 1) + "\n");
}

}  // namespace multiwalk
