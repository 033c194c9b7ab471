// SPDX-License-Identifier: GPL-3.0-or-later
// The commands and options that a program has declared.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace multiwalk {

inline std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

inline std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : subcommands(app)) names.push_back(command->get_name());
  return names;
}

/// "--help", "--set", ...
inline std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace multiwalk
