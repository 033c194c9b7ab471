// SPDX-License-Identifier: GPL-3.0-or-later
// The subcommands of the program. Each adds its options to the command line and runs when it is named.
#pragma once

#include "run/machine/exit_code.hpp"

namespace CLI {
class App;
}

namespace multiwalk {

/// Each sets `exit_code` unless the command succeeds.
void add_run_command(CLI::App& app, ExitCode& exit_code);
void add_ensemble_command(CLI::App& app, ExitCode& exit_code);
void add_ic_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_image_command(CLI::App& app);
void add_movie_command(CLI::App& app);
void add_halos_command(CLI::App& app);
void add_profile_command(CLI::App& app);
void add_accuracy_command(CLI::App& app);
void add_power_command(CLI::App& app);
void add_sky_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_direct_bench_command(CLI::App& bench);
void add_step_bench_command(CLI::App& bench);
void add_report_command(CLI::App& app);
void add_params_command(CLI::App& app);
void add_plan_command(CLI::App& app);

}  // namespace multiwalk
