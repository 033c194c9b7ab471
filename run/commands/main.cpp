// SPDX-License-Identifier: GPL-3.0-or-later
// multiwalk: one program, a subcommand for every job. Only here are errors caught.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <system_error>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/base/out_of_memory.hpp"
#include "run/command_line/completion.hpp"
#include "run/command_line/typing_slips.hpp"
#include "run/commands/commands.hpp"
#include "run/files/command_files.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/machine/stop_request.hpp"
#include "run/machine/version.hpp"

// Every allocation that fails says how much was asked for.
void* operator new(std::size_t bytes) {
  void* const data = std::malloc(std::max<std::size_t>(bytes, 1));
  if (data == nullptr) throw multiwalk::OutOfMemory(bytes);
  return data;
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment),
             whole = std::max((bytes + unit - 1) / unit, std::size_t{1}) * unit;
  void* const data = whole < bytes ? nullptr : std::aligned_alloc(unit, whole);
  if (data == nullptr) throw multiwalk::OutOfMemory(bytes);
  return data;
}

// Not inlined: g++ 14 would warn of free() where operator new is a call.
[[gnu::noinline]] void operator delete(void* data) noexcept {
  std::free(data);
}
[[gnu::noinline]] void operator delete(void* data, std::size_t) noexcept {
  std::free(data);
}
[[gnu::noinline]] void operator delete(void* data, std::align_val_t) noexcept {
  std::free(data);
}
[[gnu::noinline]] void operator delete(void* data, std::size_t, std::align_val_t) noexcept {
  std::free(data);
}

namespace {

using namespace multiwalk;

/// A reader of standard output that closed it, such as `head`, had enough.
void end_as_by_sigpipe_if_closed() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, 0) != 1 || (output.revents & POLLERR) == 0) return;
  end_ranks();
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

/// Prints the error being handled. The other ranks do not know about it and may be waiting in MPI: the job ends here.
void end_with_error() {
  std::array<char, 32> who{};
  if (several_ranks()) std::snprintf(who.data(), who.size(), "rank %d: ", program_rank());
  const auto tell = [&](const char* what) { tell_on_stderr(who.data(), what); };
  const std::exception_ptr error = std::current_exception();
  try {
    if (error) std::rethrow_exception(error);
    tell("ended by std::terminate");
  } catch (const std::system_error& failed) {  // fmt::print throws it
    if (failed.code().value() == EPIPE && !several_ranks()) end_as_by_sigpipe_if_closed();
    tell(failed.what());
  } catch (const std::bad_alloc& lack) {
    tell(lack_text(lack).data());
  } catch (const nlohmann::json::exception&) {
    tell("a run's state, or another file of its own, is damaged or of another version of the program");
  } catch (const std::exception& known) {
    tell(known.what());
  } catch (...) {
    tell("unknown exception");
  }
  abort_ranks(static_cast<int>(ExitCode::error));
}

/// Reports if not all output could be written. A run does not check this: its log has the same text, and scripts act on
/// its exit code.
ExitCode unless_output_failed(ExitCode exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush()) return exit_code;
  const int error = errno;
  end_as_by_sigpipe_if_closed();
  std::fprintf(stderr, "multiwalk: cannot write all of the output: %s\n", std::strerror(error));
  return ExitCode::error;
}

bool started_by_nohup = false;

/// UCX, which MPI may use, sets a handler for SIGHUP while libraries are loaded: this is asked before.
__attribute__((no_sanitize("address", "undefined"))) void look_at_hangup(int /*argc*/, char** /*argv*/,
                                                                         char** /*env*/) {
  struct sigaction now;
  started_by_nohup = sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}
__attribute__((section(".preinit_array"), used)) void (*const before_libraries)(int, char**, char**) = look_at_hangup;

bool ends_by_itself = false;

/// Libraries call exit(): HDF5 when it lacks memory, without a message, and MPI when it cannot start.
void tell_unexpected_exit() {
  if (ends_by_itself) return;
  const std::string advice = advice_on_mpi();
  tell_on_stderr(advice.empty() ? "ended by a library, probably out of memory" : advice);
  std::_Exit(static_cast<int>(ExitCode::error));
}

/// Catches errors that all ranks know about; other errors pass through.
ExitCode run_program(int argc, char** argv) {
  ExitCode exit_code = ExitCode::ok;
  CLI::App app{
      "Multiwalk: cosmological N-body simulation with multiple-walk trees on CPUs and GPUs.\n"
      "Start with: multiwalk run run/examples/lcdm_box.toml",
      "multiwalk"};
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  add_run_command(app, exit_code);
  add_ensemble_command(app, exit_code);
  add_ic_command(app);
  add_info_command(app);
  add_convert_command(app);
  add_image_command(app);
  add_movie_command(app);
  add_halos_command(app);
  add_profile_command(app);
  add_accuracy_command(app);
  add_power_command(app);
  add_sky_command(app);
  add_bench_command(app);
  add_report_command(app);
  add_params_command(app);
  add_plan_command(app);
  add_completion_command(app);
  try {
    app.parse(argc, argv);
    return app.got_subcommand("run") || app.got_subcommand("ensemble") ? exit_code : unless_output_failed(exit_code);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      const std::string slip = advice_on_slip(app, {argv + 1, argv + argc});
      if (program_rank() == 0) tell_on_stderr(slip.empty() ? error.what() : slip, " (see --help)");
      return ExitCode::error;
    }
    std::ostream quiet(nullptr);
    program_rank() == 0 ? app.exit(error) : app.exit(error, quiet, quiet);
    return unless_output_failed(ExitCode::ok);
  } catch (const SharedError& error) {
    if (program_rank() == 0) tell_on_stderr(error.what());
    return ExitCode::error;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, [](int) {});  // a closed output is an error of the writing call, too; what follows is still done
  std::signal(SIGXFSZ, SIG_IGN);     // a file that may not grow is an error of the writing call, with a message
  if (started_by_nohup) ignore_hangups();
  limit_threads();
  const RememberedFiles files;
  std::set_terminate([] {
    end_with_error();
    std::_Exit(static_cast<int>(ExitCode::error));
  });
  std::atexit(tell_unexpected_exit);
  ExitCode exit_code = ExitCode::error;
  if (several_ranks()) {
    // Errors of one rank stay uncaught, so that no destructor runs that might wait for the other ranks.
    exit_code = run_program(argc, argv);
  } else {
    try {
      exit_code = run_program(argc, argv);
    } catch (...) {
      end_with_error();
    }
  }
  end_ranks();
  ends_by_itself = true;
  return static_cast<int>(exit_code);
}
