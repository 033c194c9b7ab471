// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/program_ranks.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <optional>

#include "decomposition/ranks/mpi_session.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

std::optional<MpiSession> session;

/// The first of these environment variables that is set.
int environment_number(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    if (const char* text = std::getenv(name)) return std::atoi(text);
  }
  return otherwise;
}

int launched_ranks() {
  return environment_number({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}, 1);
}

}  // namespace

const Communicator& world_of_program() {
  if (session) return session->world();
  session.emplace();
  const int launched = launched_ranks();
  if (launched > 1 && session->world().alone()) {
    session.reset();
    throw InputError(
        fmt::format("{} processes were launched, but MPI knows of one: the launcher belongs to another MPI than "
                    "multiwalk (see `multiwalk --version`); use that one's mpiexec, or srun --mpi=pmi2",
                    launched));
  }
  return session->world();
}

void end_ranks() {
  session.reset();
}

void abort_ranks(int exit_code) {
  if (session && !session->world().alone()) session->abort(exit_code);
}

bool several_ranks() {
  return session ? !session->world().alone() : launched_ranks() > 1;
}

int program_rank() {
  if (session) return session->world().rank();
  return environment_number({"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}, 0);
}

}  // namespace multiwalk
