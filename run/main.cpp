// multiwalk: one program, a subcommand for every job. Only here are errors caught.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "host/base/error.hpp"
#include "run/commands.hpp"
#include "run/version.hpp"

int main(int argc, char** argv) {
  using namespace multiwalk;
  ExitCode exit_code = ExitCode::ok;
  CLI::App app{
      "Multiwalk: cosmological N-body simulation with multiple-walk trees on CPUs and GPUs.\n"
      "Start with: multiwalk run run/examples/demo.toml"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
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
    return static_cast<int>(exit_code);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const InputError& error) {
    std::fprintf(stderr, "multiwalk: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "multiwalk: out of memory; `multiwalk plan` tells how much a run needs\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "multiwalk: %s\n", error.what());
  }
  return static_cast<int>(ExitCode::error);
}
