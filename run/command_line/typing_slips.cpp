// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/command_line/typing_slips.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <vector>

#include "run/command_line/option_table.hpp"
#include "run/files/nearest_word.hpp"
#include "run/files/printable.hpp"

namespace multiwalk {

namespace {

std::string advice(const std::string& kind, std::string_view word, const std::vector<std::string>& valid) {
  const std::vector<std::string_view> words(valid.begin(), valid.end());
  const std::string_view nearest = nearest_word(word, words);
  return "unknown " + kind + " " + printable(std::string(word)) +
         (nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?");
}

}  // namespace

std::string advice_on_slip(const CLI::App& app, std::span<const char* const> words) {
  const CLI::App* command = &app;
  for (const std::string_view word : words) {
    if (word == "--") break;
    const std::vector<std::string> commands = subcommand_names(*command);
    if (word.starts_with("--")) {
      const std::string_view name = word.substr(0, word.find('='));
      const std::vector<std::string> options = option_names(*command);
      if (std::ranges::find(options, name) == options.end()) return advice("option", name, options);
    } else if (!word.starts_with("-") && !commands.empty()) {
      if (std::ranges::find(commands, word) == commands.end()) return advice("command", word, commands);
      command = command->get_subcommand(std::string(word));
    }
  }
  return "";
}

}  // namespace multiwalk
