// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/commands/commands.hpp"
#include "run/files/atomic_file.hpp"
#include "run/parameters/gadget4_parameters.hpp"
#include "run/parameters/parameter_table.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

namespace {

std::string section_of(const std::string& key) {
  return key.substr(0, key.find('.'));
}

void print_markdown() {
  std::printf(
      "# Parameters\n\nMade by `multiwalk params --markdown`. One TOML file holds them; a number is in the unit "
      "given, a string may carry its own (\"150 Mpc\", \"20 kpc/h\"). A run says which settings have no effect in "
      "it.\n");
  std::string section;
  for (const ParameterHelp& row : parameter_help()) {
    if (section_of(row.key) != section) {
      section = section_of(row.key);
      std::printf("\n## [%s]\n\n| key | unit | default | range | meaning |\n|---|---|---|---|---|\n", section.c_str());
    }
    const auto cell = [](std::string text) {
      for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
      return text;
    };
    std::printf("| `%s` | %s | `%s` | %s | %s |\n", row.key.substr(section.size() + 1).c_str(), row.unit.c_str(),
                row.default_value.c_str(), cell(row.range).c_str(), cell(row.help).c_str());
  }
}

/// A section, a "section.key", or, if empty, everything. Throws SharedError if there is no such name.
void print_plain(const std::string& name) {
  const auto is_meant = [&](const ParameterHelp& row) {
    return name.empty() || row.key == name || section_of(row.key) == name;
  };
  const std::vector<ParameterHelp> rows = parameter_help();
  if (std::ranges::none_of(rows, is_meant)) {
    throw SharedError(name.find('.') == std::string::npos ? "unknown section " + name + "; " + section_advice(name)
                                                          : "unknown key " + name + "; " + key_advice(name));
  }
  for (const ParameterHelp& row : rows) {
    if (!is_meant(row)) continue;
    fmt::print("{:<34} {:<10} default {:<14} {}\n{:<34} {}\n", row.key, row.unit, row.default_value, row.range, "",
               row.help);
  }
}

struct TranslateArguments {
  std::string file, config;
};

/// A parameter file of GADGET-4, or its Config.sh if there is one, as ours.
void print_translation(const TranslateArguments& arguments) {
  const std::string config = arguments.config.empty() ? "" : read_whole_file(arguments.config);
  const std::string folder = std::filesystem::path(arguments.file).parent_path().string();
  fmt::print("{}", parameters_from_gadget4(read_whole_file(arguments.file), config, folder, arguments.file));
}

}  // namespace

void add_params_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("params", "List every parameter with unit, default, range and meaning");
  auto markdown = std::make_shared<bool>(false);
  auto name = std::make_shared<std::string>();
  auto translate = std::make_shared<TranslateArguments>();
  CLI::Option* filter = command->add_option("name", *name, "only this SECTION or SECTION.KEY");
  CLI::Option* page =
      command->add_flag("--markdown", *markdown, "in the form of the page run/PARAMETERS.md")->excludes(filter);
  CLI::Option* from = command
                          ->add_option("--from-gadget4", translate->file,
                                       "translate a parameter file of GADGET-4 (param.txt), with comments on settings "
                                       "without a counterpart")
                          ->excludes(filter)
                          ->excludes(page);
  command->add_option("--config", translate->config, "the Config.sh of that run")->needs(from);
  command->callback([markdown, name, translate] {
    if (!translate->file.empty()) {
      print_translation(*translate);
    } else {
      *markdown ? print_markdown() : print_plain(*name);
    }
  });
}

}  // namespace multiwalk
