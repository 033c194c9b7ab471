// SPDX-License-Identifier: GPL-3.0-or-later
// --set of the commands that read a snapshot: what the file does not state itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/snapshots/unsaid.hpp"

namespace multiwalk {

struct UnsaidOption {
  std::vector<std::string> settings;

  void add_to(CLI::App& command) {
    command
        .add_option("--set", settings,
                    "what the snapshot does not state, as in a parameter file, e.g. --set model.units.length=kpc/h")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  /// Collective. Throws SharedError.
  [[nodiscard]] Unsaid resolve(const Communicator& comm) const {
    return collectively(comm, [&] { return Unsaid::of(settings); });
  }
};

}  // namespace multiwalk
