// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/command_line/progress_options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace multiwalk {

void add_progress_options(CLI::App& command, ProgressStyle& style) {
  const std::map<std::string, ProgressStyle> styles{{"auto", ProgressStyle::automatic},
                                                    {"lines", ProgressStyle::lines},
                                                    {"outputs", ProgressStyle::outputs},
                                                    {"none", ProgressStyle::none}};
  CLI::Option* progress =
      command
          .add_option("--progress", style,
                      "auto: a bar on a terminal, else a line every two seconds; lines: the lines; outputs: one line "
                      "for each output; none: only warnings and errors, on stderr")
          ->transform(CLI::CheckedTransformer(styles).description("auto, lines, outputs or none"));
  command
      .add_flag_callback(
          "--quiet", [&style] { style = ProgressStyle::none; }, "the same as --progress none")
      ->excludes(progress);
}

}  // namespace multiwalk
