// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "decomposition/ranks/agree.hpp"
#include "run/commands/commands.hpp"
#include "run/files/atomic_file.hpp"
#include "run/parameters/gadget4_parameters.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

void print_markdown() {
  fmt::print(
      "# Parameters\n\nMade by `multiwalk params --markdown`. One TOML file holds them; a number is in the unit "
      "given, a string may carry its own (\"150 Mpc\", \"20 kpc/h\"). A run says which settings have no effect in "
      "it.\n");
  std::string_view section;
  for (const ParameterKey& row : parameter_table()) {
    if (row.section() != section) {
      section = row.section();
      fmt::print("\n## [{}]\n\n| key | unit | default | range | meaning |\n|---|---|---|---|---|\n", section);
    }
    const auto cell = [](std::string text) {
      for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
      return text;
    };
    fmt::print("| `{}` | {} | `{}` | {} | {} |\n", row.key(), row.unit, format_parameter(row),
               cell(allowed_values(row)), cell(std::string(row.help)));
  }
}

/// A section, a "section.key", or, if empty, everything. Throws SharedError if there is no such name.
void print_plain(const std::string& name) {
  const auto is_meant = [&](const ParameterKey& row) {
    return name.empty() || row.name == name || row.section() == name;
  };
  if (std::ranges::none_of(parameter_table(), is_meant)) {
    throw SharedError(name.find('.') == std::string::npos ? "unknown section " + name + "; " + section_advice(name)
                                                          : "unknown key " + name + "; " + key_advice(name));
  }
  for (const ParameterKey& row : parameter_table()) {
    if (!is_meant(row)) continue;
    fmt::print("{:<34} {:<10} default {:<14} {}\n{:<34} {}\n", row.name, row.unit, format_parameter(row),
               allowed_values(row), "", row.help);
  }
}

struct TranslateArguments {
  std::string file, config;
};

/// Translates a parameter file of GADGET-4, with its Config.sh if there is one, into ours.
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
