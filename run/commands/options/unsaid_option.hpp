// SPDX-License-Identifier: GPL-3.0-or-later
// --set KEY=VALUE: parameters of a run, or what the snapshot that a command reads does not state itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

/// Adds --set, which may be given several times.
inline void add_settings(CLI::App& command, std::vector<std::string>& settings, const std::string& help) {
  command.add_option("--set", settings, help)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

struct UnsaidOption {
  std::vector<std::string> settings;

  void add_to(CLI::App& command) {
    add_settings(command, settings,
                 "what the snapshot does not state, as in a parameter file, e.g. --set model.units.length=kpc/h");
  }
  /// Collective. Throws SharedError.
  [[nodiscard]] Unsaid resolve(const Communicator& comm) const {
    return collectively(comm, [&] { return Unsaid::of(settings); });
  }
};

}  // namespace multiwalk
