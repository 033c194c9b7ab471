// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/command_line/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <vector>

#include "run/command_line/option_table.hpp"
#include "run/parameters/parameter_table.hpp"

namespace multiwalk {

namespace {

/// Lines of the script, for every command and its own commands.
struct CommandCases {
  std::string moves;  ///< from a command and the next word to the command that they name
  std::string words;  ///< what may follow a command
};

void add_cases(const CLI::App& app, const std::string& path, CommandCases& cases) {
  cases.words += fmt::format("    '{}') commands='{}' options='{}' ;;\n", path, fmt::join(subcommand_names(app), " "),
                             fmt::join(option_names(app), " "));
  for (const CLI::App* command : subcommands(app)) {
    const std::string name = path.empty() ? command->get_name() : path + " " + command->get_name();
    cases.moves += fmt::format("      '{} {}') command='{}' ;;\n", path, command->get_name(), name);
    add_cases(*command, name, cases);
  }
}

std::string parameter_names() {
  std::vector<std::string_view> names;
  for (const ParameterKey& row : parameter_table()) names.push_back(row.name);
  return fmt::format("{}", fmt::join(names, " "));
}

constexpr const char* bash_script = R"(_{program}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command='' commands='' options='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
{moves}    esac
  done
  case $command in
{words}  esac
  if [[ $before == --set ]]; then
    COMPREPLY=($(compgen -S = -W '{parameters}' -- "$current"))
    compopt -o nospace 2>/dev/null
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$commands" -- "$current"))
  fi
}}
complete -o default -F _{program} {program}
)";

}  // namespace

std::string completion_script(const CLI::App& program, Shell shell) {
  CommandCases cases;
  add_cases(program, "", cases);
  const std::string body =
      fmt::format(fmt::runtime(bash_script), fmt::arg("program", program.get_name()), fmt::arg("moves", cases.moves),
                  fmt::arg("words", cases.words), fmt::arg("parameters", parameter_names()));
  return shell == Shell::bash
             ? body
             : fmt::format("#compdef {}\nautoload -U +X bashcompinit && bashcompinit\n{}", program.get_name(), body);
}

void add_completion_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "completion", "Print a script that lets the shell complete commands, options and parameters");
  const std::map<std::string, Shell> shells{{"bash", Shell::bash}, {"zsh", Shell::zsh}};
  auto shell = std::make_shared<Shell>();
  command->add_option("shell", *shell, "bash or zsh")->required()->transform(CLI::CheckedTransformer(shells));
  command->footer("For this session: source <(multiwalk completion bash)");
  command->callback([&program, shell] { fmt::print("{}", completion_script(program, *shell)); });
}

}  // namespace multiwalk
