// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/launcher.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace multiwalk {

namespace {

/// Hydra and Slurm's PMI, PMIx, Open MPI, Slurm, Cray's PALS and ALPS, MVAPICH, Flux, jsrun, Intel MPI.
constexpr std::array launchers{"PMI_",       "PMIX_", "OMPI_COMM_", "SLURM_PROCID=", "SLURM_STEP_",
                               "PALS_",      "ALPS_", "MV2_COMM_",  "MPIRUN_",       "FLUX_JOB_",
                               "FLUX_TASK_", "JSM_",  "MPI_LOCAL"};

class Environment {
 public:
  explicit Environment(const char* const* lines) : lines_(lines) {}

  [[nodiscard]] bool has(std::string_view prefix) const { return !line(prefix).empty(); }
  [[nodiscard]] std::optional<int> number(const std::string& name) const {
    const std::string_view found = line(name + "=");
    if (found.empty()) return std::nullopt;
    return std::atoi(found.data() + name.size() + 1);
  }
  [[nodiscard]] int first_number(std::initializer_list<const char*> names, int otherwise) const {
    for (const char* name : names) {
      if (const auto value = number(name)) return *value;
    }
    return otherwise;
  }

 private:
  [[nodiscard]] std::string_view line(std::string_view prefix) const {
    for (const char* const* at = lines_; *at != nullptr; ++at) {
      if (std::string_view(*at).starts_with(prefix)) return *at;
    }
    return {};
  }

  const char* const* lines_;
};

bool is_connected(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0) return false;
  pollfd entry{descriptor, 0, 0};
  return ::poll(&entry, 1, 0) >= 0 && (entry.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0;
}

}  // namespace

Launch launch_in(const char* const* environment, const std::function<bool(int)>& connected) {
  const Environment all(environment);
  Launch launch;
  const std::optional<int> descriptor = all.number("PMI_FD");
  launch.broken = descriptor && !connected(*descriptor);
  if (launch.broken) return launch;
  launch.any = std::ranges::any_of(launchers, [&](const char* prefix) { return all.has(prefix); });
  launch.tasks = all.first_number({"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE",
                                   "JSM_NAMESPACE_SIZE", "SLURM_STEP_NUM_TASKS"},
                                  1);
  launch.task = all.first_number({"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK",
                                  "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK", "PALS_RANKID", "SLURM_PROCID"},
                                 0);
  return launch;
}

Launch this_launch() {
  Launch launch = launch_in(::environ, is_connected);
  if (!launch.broken) return launch;
  for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE"}) ::unsetenv(name);
  launch = launch_in(::environ, is_connected);
  launch.broken = true;
  return launch;
}

std::string copies_text(const Launch& launch) {
  if (launch.tasks <= 1) return "";
  return fmt::format("{} processes were launched together, and MPI joins none of them to ranks of one job",
                     launch.tasks);
}

}  // namespace multiwalk
