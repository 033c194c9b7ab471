// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/machine/memory_limit.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace multiwalk {

namespace {

/// The number in a file; UINT64_MAX if there is none ("max").
std::uint64_t limit_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::uint64_t limit = 0;
  return file >> limit ? limit : UINT64_MAX;
}

/// The least limit of the group and the groups around it. Inside a container the group that the kernel names may lie
/// outside of what is mounted; the file in `root` then holds the limit.
std::uint64_t least_limit(const std::filesystem::path& root, const std::string& group, const char* name) {
  std::uint64_t least = limit_in(root / name);
  std::filesystem::path at = root;
  for (const std::filesystem::path& part : std::filesystem::path(group).relative_path()) {
    at /= part;
    least = std::min(least, limit_in(at / name));
  }
  return least;
}

/// Bytes of this process.
struct OwnMemory {
  std::uint64_t mapped = 0, resident = 0, data = 0;
};

OwnMemory own_memory() {
  const auto page = static_cast<std::uint64_t>(std::max(::sysconf(_SC_PAGESIZE), 1L));
  OwnMemory own;
  std::uint64_t shared = 0, code = 0, libraries = 0;
  std::ifstream("/proc/self/statm") >> own.mapped >> own.resident >> shared >> code >> libraries >> own.data;
  return {own.mapped * page, own.resident * page, own.data * page};
}

/// The bytes that a limit leaves beyond those in use.
std::uint64_t left_of(int resource, std::uint64_t used) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

}  // namespace

std::uint64_t allocatable_memory() {
  const OwnMemory own = own_memory();
  return std::min(left_of(RLIMIT_AS, own.mapped), left_of(RLIMIT_DATA, own.data));
}

std::uint64_t resident_memory() {
  return own_memory().resident;
}

std::uint64_t free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name, rest; file >> name; std::getline(file, rest)) {
    std::uint64_t kilobytes = 0;
    if (name == "MemAvailable:" && file >> kilobytes) return 1024 * kilobytes;
  }
  return UINT64_MAX;
}

std::uint64_t group_memory_limit(std::istream& membership, const std::filesystem::path& root) {
  std::uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(membership, line);) {  // number:controllers:group
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      group = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, least_limit(root, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, least_limit(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::uint64_t usable_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return 0;
  std::ifstream membership("/proc/self/cgroup");
  return std::min(static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size),
                  group_memory_limit(membership, "/sys/fs/cgroup"));
}

}  // namespace multiwalk
