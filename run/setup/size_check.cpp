// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/size_check.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "decomposition/ranks/agree.hpp"
#include "run/machine/device_share.hpp"
#include "run/machine/memory_room.hpp"
#include "run/plan/run_size.hpp"

namespace multiwalk {

namespace {

namespace fs = std::filesystem;

/// Bytes of a device that are there for each rank of this host that uses one; 0: unknown.
double device_room(const BackendChoice& backend, const Communicator& comm) {
  const Communicator host = comm.on_this_host();
  const int shares = host.sum(static_cast<int>(backend.devices.size()));
  const int used = host.sum(static_cast<int>(backend.metered.size()));
  std::string ignored;
  double least = 0;
  if (!backend.devices.empty()) {
    for (const VisibleDevice& device : visible_devices(ignored)) {
      const auto bytes = static_cast<double>(device.memory);
      least = least > 0 ? std::min(least, bytes) : bytes;
    }
  }
  return shares > 0 ? comm.min(least) * used / shares : 0;
}

std::uint64_t bytes_of_files(const std::string& directory) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    if (entry.is_regular_file(failed)) bytes += entry.file_size(failed);
  }
  return bytes;
}

}  // namespace

std::string judge_size(const RunSetup& setup, const AskedSize& asked, const Communicator& comm) {
  const Parameters& p = setup.parameters;
  const MemoryRoom room = memory_room(comm);
  RunShape shape{comm.size(), static_cast<int>(setup.backend.devices.size()), false, asked.program};
  shape.device_walks = shape.devices > 0 && setup.backend.backend->device_walker() != nullptr;
  shape.device_room = device_room(setup.backend, comm);
  return text_from_root(comm, [&]() -> std::string {
    if (is_direct(p)) return "";
    const bool file_may_be_gone = !setup.is_new() && p.model.kind == ModelKind::file;
    std::string warning = file_may_be_gone ? "" : judge_run_memory(p, shape, room);
    const auto left = std::ranges::count_if(setup.schedule.times(),
                                            [&](double time) { return setup.is_new() || time > setup.system.time; });
    const double removed = asked.overwrite ? static_cast<double>(bytes_of_files(p.run.directory)) : 0;
    require_disk(p.run.directory, planned_files(p, asked.bodies, static_cast<std::uint64_t>(left)) - removed);
    return warning;
  });
}

}  // namespace multiwalk
