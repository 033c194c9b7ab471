// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/program_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>

#include "decomposition/ranks/mpi_session.hpp"
#include "run/files/printable.hpp"
#include "run/machine/exit_code.hpp"
#include "run/machine/launcher.hpp"
#include "run/machine/patience.hpp"

namespace multiwalk {

namespace {

std::optional<MpiSession> session;
bool begun = false, starting = false;

const Launch& launch() {
  static const Launch here = this_launch();
  return here;
}

/// The words after the program's name.
std::string own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  return words.substr(std::min(words.find('\0'), words.size()));
}

bool is_same(const std::string& text, const Communicator& comm) {
  const std::uint64_t hash = std::hash<std::string>()(text);
  return comm.min(hash) == comm.max(hash);
}

/// Whether the processes were asked for one job. Hosts may name one folder differently. Collective.
bool have_one_job(const Communicator& world) {
  std::error_code ignored;
  const bool one_folder = is_same(std::filesystem::current_path(ignored).string(), world.on_this_host());
  return is_same(own_arguments(), world) && world.all(one_folder);
}

/// MPI waits for all processes of the launcher; a task of a farm may be the only one that calls it.
void start_mpi() {
  using namespace std::chrono_literals;
  const std::string who = fmt::format(
      "MPI waits for all {} processes of the launcher to start multiwalk; a process that is to work by itself needs an "
      "environment without PMI_FD, PMI_RANK and PMI_SIZE (env -u NAME) or, with Slurm, srun --mpi=none",
      launch().tasks);
  const Patience told(20s, [&] { warn_on_stderr(who); });
  const Patience lost(20min, [] {
    tell_on_stderr("MPI has waited for 20 minutes in vain");
    std::_Exit(static_cast<int>(ExitCode::error));
  });
  starting = true;
  session.emplace();
  starting = false;
}

void start() {
  begun = true;
  if (launch().broken) warn_on_stderr("PMI_FD of a launcher is set but closed: this process works by itself");
  if (!launch().any) return;
  start_mpi();
  const Communicator& world = session->world();
  if (world.alone() && launch().tasks > 1 && launch().task == 0) {
    warn_on_stderr(copies_text(launch()) +
                   ": each works by itself; ranks of one job need the mpiexec of this program's MPI (see `multiwalk "
                   "--version`), or srun --mpi=pmi2");
  }
  if (world.alone() || !have_one_job(world)) session.reset();
}

}  // namespace

const Communicator& world_of_program() {
  static const Communicator alone;
  if (!begun) start();
  return session ? session->world() : alone;
}

void end_ranks() {
  session.reset();
}

void abort_ranks(int exit_code) {
  if (session) session->abort(exit_code);
}

bool several_ranks() {
  return begun ? session.has_value() : launch().any && launch().tasks > 1;
}

int program_rank() {
  return session ? session->world().rank() : 0;
}

std::string advice_on_mpi() {
  if (!starting) return "";
  return "MPI could not start (its own message is above): variables of a launcher are set (PMI_..., PMIX_..., OMPI_... "
         "or SLURM_...) that does not answer or belongs to another MPI; start multiwalk by the mpiexec of its MPI (see "
         "`multiwalk --version`) or, for one rank, without these variables (env -u NAME)";
}

std::string advice_on_copies() {
  if (session) return "";
  const std::string text = copies_text(launch());
  return text.empty() ? "" : " (" + text + ": start ranks by the mpiexec of this program's MPI, or srun --mpi=pmi2)";
}

}  // namespace multiwalk
