// SPDX-License-Identifier: GPL-3.0-or-later
// The options and the search that the commands about a snapshot's halos share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "analysis/halos/halo_finder.hpp"
#include "run/commands/options/unsaid_option.hpp"
#include "run/snapshots/snapshot.hpp"

namespace multiwalk {

struct HaloArguments {
  std::string snapshot, csv, json, html;
  HaloOptions options;
  UnsaidOption unsaid;

  void add_to(CLI::App& command);
};

/// A snapshot's particles in their domains, and its halos.
struct SnapshotHalos {
  SnapshotInfo info;
  HaloCatalogue catalogue;
};

/// Reads the snapshot and finds its halos. Collective. Throws SharedError.
SnapshotHalos find_in_snapshot(const HaloArguments& arguments, const Communicator& comm);

}  // namespace multiwalk
