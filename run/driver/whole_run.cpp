// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/whole_run.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "decomposition/ranks/agree.hpp"
#include "host/base/phase_timer.hpp"
#include "run/backends/direct_backend.hpp"
#include "run/files/json_input.hpp"
#include "run/files/number_text.hpp"
#include "run/files/printable.hpp"
#include "run/machine/machine.hpp"
#include "run/setup/restart_settings.hpp"
#include "run/setup/run_setup.hpp"

namespace multiwalk {

namespace {

void tell_line(const std::string& text, const RunRequest& request) {
  if (request.progress == ProgressStyle::none) return;
  const std::string line = printable(text) + "\n";
  if (request.say) {
    request.say(line);
  } else {
    fmt::print("{}", line);
  }
}

bool is_of_full_disk(const std::string& error) {
  return error.find(std::strerror(ENOSPC)) != std::string::npos ||
         error.find(std::strerror(EDQUOT)) != std::string::npos;
}

}  // namespace

WholeRun::WholeRun(const RunRequest& request, const Communicator& comm) {
  const double began = wall_time();
  RunSetup setup = set_up_run(request, comm);
  lock_ = std::move(setup.lock);
  const RunParameters asked = setup.parameters.run;
  const int threads = default_threads(comm, threads_of_messages(setup.direct_backend, comm));
  use_threads(asked.threads > 0 ? asked.threads : threads, "run.threads");
  progress_ = collectively(comm, [&] {
    return comm.root() ? std::make_unique<Progress>(asked.directory, request.progress, request.say)
                       : std::make_unique<Progress>();
  });
  if (!setup.other_end.empty()) progress_->message("another end than before: " + setup.other_end);
  if (!setup.warning.empty()) progress_->message("WARNING: " + setup.warning);
  if (!setup.advice.empty()) progress_->message("GPUs: " + setup.advice);
  IcProgress making([&](const std::string& text) { progress_->message(text); });
  make_particles(setup, comm, making);
  try {
    run_.emplace(std::move(setup), making.parts(), comm, *progress_, began);
  } catch (const nlohmann::json::exception& error) {  // every rank has the same state
    throw SharedError(
        values_refusal("--restart " + asked.directory + ": the state of the run in its checkpoint", error));
  }
}

ExitCode run_simulation(const RunRequest& request, const Communicator& comm) {
  if (const std::string finished = already_finished(request, comm); !finished.empty()) {
    if (comm.root()) tell_line(finished, request);
    return ExitCode::ok;
  }
  WholeRun whole(request, comm);
  try {
    return whole.run()();
  } catch (const SharedError& error) {
    if (!is_of_full_disk(error.what())) throw;
    const std::string& directory = whole.run().parameters().run.directory;
    throw SharedError(
        fmt::format("{}: the rest of the run needs about {}B of disk space; free it, then continue with: "
                    "multiwalk run --restart {}",
                    error.what(), with_prefix(whole.run().bytes_to_write()), directory));
  }
}

}  // namespace multiwalk
