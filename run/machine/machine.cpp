// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/machine.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "host/base/error.hpp"
#include "host/threads/most_threads.hpp"
#include "run/machine/device_power.hpp"
#include "run/machine/memory_limit.hpp"
#include "run/machine/program_ranks.hpp"

namespace multiwalk {

namespace {

/// The text after `separator` on the first line that begins with `key`.
std::string value_in_file(const char* path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t place = line.find(separator);
    if (!line.starts_with(key) || place == std::string::npos) continue;
    std::string value = line.substr(place + 1);
    std::erase(value, '"');
    value.erase(0, value.find_first_not_of(" \t"));
    return value;
  }
  return "";
}

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return std::thread::hardware_concurrency();
}

std::string system_name() {
  utsname kernel{};
  const std::string distribution = value_in_file("/etc/os-release", "PRETTY_NAME=", '=');
  if (::uname(&kernel) != 0) return distribution;
  return fmt::format("{}{}{} {}", distribution, distribution.empty() ? "" : ", ", kernel.sysname, kernel.release);
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host";
}

Machine this_machine() {
  Machine machine;
  machine.cpu = value_in_file("/proc/cpuinfo", "model name", ':');
  machine.cores = usable_cores();
  machine.memory = usable_memory();
  machine.gpus = gpu_names();
  machine.system = system_name();
  machine.compiler = std::string("g++ ") + __VERSION__;
  return machine;
}

std::string describe(const Machine& machine) {
  std::string text = fmt::format("{}, {} cores, {:.0f} GiB", machine.cpu.empty() ? "unknown CPU" : machine.cpu,
                                 machine.cores, static_cast<double>(machine.memory) / (1 << 30));
  for (auto gpu = machine.gpus.begin(); gpu != machine.gpus.end();) {
    const auto next = std::find_if(gpu, machine.gpus.end(), [&](const std::string& name) { return name != *gpu; });
    text += fmt::format("; {} x {}", next - gpu, *gpu);
    gpu = next;
  }
  return fmt::format("{}; {}; {}", text, machine.system, machine.compiler);
}

std::string machine_description(const Communicator& comm) {
  const int hosts = comm.sum(comm.on_this_host().root() ? 1 : 0);
  const std::string one = comm.broadcast(describe(this_machine()));
  return hosts > 1 ? fmt::format("{} hosts, the first: {}", hosts, one) : one;
}

void use_threads(int threads, const std::string& what) {
  if (threads > most_threads()) {
    throw InputError(fmt::format("{} = {}: this machine has {} cores for it, take {} threads at most", what, threads,
                                 omp_get_num_procs(), most_threads()));
  }
  omp_set_num_threads(threads);
}

void limit_threads() {
  if (omp_get_max_threads() <= most_threads()) return;
  if (program_rank() == 0)
    std::fprintf(stderr, "multiwalk: OMP_NUM_THREADS = %d is cut down to %d, four for each core\n",
                 omp_get_max_threads(), most_threads());
  omp_set_num_threads(most_threads());
}

int threads_of_share(double cores, int others) {
  const int whole = std::max(1, static_cast<int>(cores + 1e-6));
  return whole < 4 ? whole : std::max(1, whole - others);
}

int default_threads(const Communicator& comm, int others) {
  if (comm.alone() || std::getenv("OMP_NUM_THREADS") != nullptr) return omp_get_max_threads();
  // A core that several ranks may use counts as a part for each; a launcher may have bound ranks to cores.
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  const std::vector<cpu_set_t> sets = comm.on_this_host().all_gather(mine);
  double share = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &mine)) continue;
    share +=
        1.0 / static_cast<double>(std::ranges::count_if(sets, [&](const cpu_set_t& s) { return CPU_ISSET(core, &s); }));
  }
  return threads_of_share(share, others);
}

std::string now_as_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
  return text;
}

}  // namespace multiwalk
