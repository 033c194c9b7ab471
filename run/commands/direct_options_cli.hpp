// SPDX-License-Identifier: GPL-3.0-or-later
// Command-line options that the benches of direct summation share.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/backends/direct_backend.hpp"

namespace CLI {
class App;
}

namespace multiwalk {

struct DirectBenchOptions {
  std::string backend = "auto";
  std::vector<int> devices;
  int threads = 0;
  std::string json, html;

  /// Adds all of these options, and those of the bodies.
  void add_to(CLI::App& command, std::vector<std::uint64_t>& particles, double& softening);
  /// Sets OpenMP's threads; `others`: as in default_threads (run/machine/machine.hpp).
  int set_threads(const Communicator& comm, int others = 0) const;
  /// Adds version, machine, back end and threads of the measurement. Collective.
  static void describe(nlohmann::json& result, const DirectBackend& used, int used_threads, const Communicator& comm);
};

}  // namespace multiwalk
