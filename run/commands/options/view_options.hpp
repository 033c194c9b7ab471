// SPDX-License-Identifier: GPL-3.0-or-later
// The options of commands that draw: what is seen, and in which colours.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "run/outputs/pictures.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

struct ViewOptions {
  std::string axis = "z", region, slab, colours = "inferno", range, labels = "all";
  std::uint32_t pixels = 1000;

  void add_to(CLI::App& command);
  /// For a system in the snapshot's units. Throws SharedError that names the option.
  [[nodiscard]] View view_of(const SnapshotInfo& info) const;
};

}  // namespace multiwalk
