// SPDX-License-Identifier: GPL-3.0-or-later
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "run/commands/commands.hpp"
#include "run/files/printable.hpp"
#include "run/report/report.hpp"
#include "run/setup/run_directory.hpp"

namespace multiwalk {

void add_report_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("report",
                         "Write report.html again from a run's report.json (with MULTIWALK_PAGES=FOLDER,\n"
                         "the parts of the page come from that folder: run/pages/README.md)");
  auto directory = std::make_shared<std::string>();
  command->add_option("directory", *directory, "run directory")->required();
  command->callback([directory] {
    require_plain_files(*directory);
    rebuild_report(*directory);
    std::printf("%s/report.html\n", printable(*directory).c_str());
  });
}

}  // namespace multiwalk
