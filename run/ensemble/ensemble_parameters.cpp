// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/ensemble_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/parameters/toml.hpp"

namespace multiwalk {

namespace {

constexpr std::array own_keys{"model.seed", "ic.paired", "run.directory"};
constexpr const char* kept_file = "/parameters.toml";

void refuse_own_keys(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    for (const std::string_view key : own_keys) {
      if (setting.substr(0, setting.find('=')) == key)
        throw InputError(fmt::format("ensemble: --seeds, --paired and -o choose {}: leave out --set {}", key, setting));
    }
  }
}

void require_random_model(const Parameters& parameters, const std::string& file, bool with_partners) {
  const ModelKind kind = parameters.model.kind;
  if (kind == ModelKind::file || kind == ModelKind::bodies || kind == ModelKind::two_body) {
    throw InputError(file + ": its model does not depend on model.seed, so that all realisations would be the same");
  }
  if (with_partners && kind != ModelKind::sphere && kind != ModelKind::box) {
    throw InputError(file + ": --paired is for the models sphere and box; others have no partners");
  }
  if (parameters.time.max_steps > 0) {
    throw InputError(file + ": time.max_steps would end the runs before their last output; leave it out");
  }
  if (parameters.ic.paired) {
    throw InputError(file + ": has ic.paired = true; leave it out, and give --paired to make runs and their partners");
  }
}

bool may_differ(std::string_view key) {
  return key.starts_with("run.") || std::ranges::find(own_keys, key) != own_keys.end();
}

/// "KEY is OLD there and NEW here, ..." of the first few keys; empty if none differs.
std::string parameter_differences(const Parameters& there, const Parameters& here) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> differences;
  for (const ParameterChange& change : parameter_changes(there, here)) {
    if (may_differ(change.key)) continue;
    differences.push_back(fmt::format("{} is {} there and {} here", change.key, change.was, change.is));
  }
  const std::size_t more = differences.size() - std::min(differences.size(), most_named);
  differences.resize(differences.size() - more);
  return fmt::format("{}{}", fmt::join(differences, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

std::string setting_text(const std::string& key, const std::string& value) {
  std::ostringstream text;
  text << key << '=' << toml::value<std::string>(value);
  return text.str();
}

}  // namespace

Parameters read_ensemble_parameters(const std::string& file, const std::vector<std::string>& settings,
                                    bool with_partners, const Communicator& comm) {
  collectively(comm, [&] { refuse_own_keys(settings); });
  Parameters parameters = read_parameters(file, settings, comm);
  collectively(comm, [&] { require_random_model(parameters, file, with_partners); });
  return parameters;
}

void keep_parameters(const std::string& directory, const Parameters& parameters) {
  if (!std::filesystem::exists(directory + kept_file)) {
    write_file_atomically(directory + kept_file,
                          "# All parameters of this ensemble; model.seed, ic.paired and run.directory are those of "
                          "each realisation.\n" +
                              to_toml(parameters));
    return;
  }
  const std::string differences = parameter_differences(kept_parameters(directory), parameters);
  if (differences.empty()) return;
  throw InputError(
      fmt::format("{} holds an ensemble with other parameters: {}; give another -o", directory, differences));
}

Parameters kept_parameters(const std::string& directory) {
  if (!std::filesystem::exists(directory + kept_file)) {
    throw InputError(directory + " holds no ensemble: it has no parameters.toml");
  }
  return parse_parameters(read_whole_file(directory + kept_file), directory + kept_file);
}

std::vector<std::string> realisation_settings(const std::vector<std::string>& settings, const Realisation& realisation,
                                              const std::string& title, const std::string& directory) {
  std::vector<std::string> all = settings;
  all.push_back(fmt::format("model.seed={}", realisation.seed));
  if (realisation.paired) all.emplace_back("ic.paired=true");
  all.push_back(setting_text("run.title", title + ", " + realisation.text()));
  if (!directory.empty()) all.push_back(setting_text("run.directory", directory + "/" + realisation.name()));
  return all;
}

}  // namespace multiwalk
