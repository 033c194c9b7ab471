// multiwalk: one program, a subcommand for every job. Only here are errors caught.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>
#include <ostream>
#include <string>

#include "decomposition/agree.hpp"
#include "host/base/error.hpp"
#include "run/commands.hpp"
#include "run/ranks.hpp"
#include "run/version.hpp"

namespace {

using namespace multiwalk;

/// Launched on several ranks, only the first works on a command that uses one.
void leave_unless_needed(const CLI::App& app) {
  const std::string command = app.get_subcommands().front()->get_name();
  const bool uses_one = command == "info" || command == "report" || command == "params" || command == "plan";
  if (uses_one && program_rank() > 0) throw CLI::Success();
}

/// An error that only this rank knows of: the others may wait for it in MPI, so the job ends here and now.
ExitCode fail(const std::string& message) {
  const int rank = program_rank();
  const std::string who = rank > 0 || several_ranks() ? "rank " + std::to_string(rank) + ": " : "";
  std::fprintf(stderr, "multiwalk: %s%s\n", who.c_str(), message.c_str());
  abort_ranks(static_cast<int>(ExitCode::error));
  return ExitCode::error;
}

ExitCode run_program(int argc, char** argv) {
  ExitCode exit_code = ExitCode::ok;
  CLI::App app{
      "Multiwalk: cosmological N-body simulation with multiple-walk trees on CPUs and GPUs.\n"
      "Start with: multiwalk run run/examples/demo.toml"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.parse_complete_callback([&app] { leave_unless_needed(app); });
  add_run_command(app, exit_code);
  add_ic_command(app);
  add_info_command(app);
  add_image_command(app);
  add_accuracy_command(app);
  add_bench_command(app);
  add_report_command(app);
  add_params_command(app);
  add_plan_command(app);
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    std::ostream quiet(nullptr);
    return static_cast<ExitCode>(program_rank() == 0 ? app.exit(error) : app.exit(error, quiet, quiet));
  } catch (const SharedError& error) {
    if (program_rank() == 0) std::fprintf(stderr, "multiwalk: %s\n", error.what());
    return ExitCode::error;
  } catch (const std::bad_alloc&) {
    return fail("out of memory; `multiwalk plan` tells how much a run needs");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ExitCode exit_code = run_program(argc, argv);
  end_ranks();
  return static_cast<int>(exit_code);
}
