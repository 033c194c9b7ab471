// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/backends/tree_backend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/exact/reference_backend.hpp"
#include "host/force/simd_backend.hpp"

namespace multiwalk {

namespace {

std::vector<std::string> bus_ids(const std::vector<VisibleDevice>& visible, const std::vector<int>& used) {
  std::vector<std::string> ids;
  for (const VisibleDevice& device : visible) {
    if (std::ranges::find(used, device.number) != used.end()) ids.emplace_back(device.bus_id.data());
  }
  return ids;
}

BackendChoice cuda_alone(const std::vector<int>& wanted, bool device_walks) {
  BackendChoice choice = try_cuda(wanted.empty() ? first_working_device() : wanted, 0, device_walks);
  std::string ignored;
  if (choice.backend) choice.metered = bus_ids(visible_devices(ignored), choice.devices);
  choice.devices_in_all = static_cast<int>(choice.devices.size());
  return choice;
}

BackendChoice on_devices(const std::vector<int>& devices, bool device_walks, const Communicator& comm) {
  if (comm.alone()) return cuda_alone(devices, device_walks);
  return cuda_on_ranks<ForceBackend>(devices, comm, [&](const auto& numbers, std::uint64_t memory_limit) {
    return try_cuda(numbers, memory_limit, device_walks);
  });
}

BackendChoice on_cpu(const std::string& reason) {
  return {make_simd_backend(), "the CPU, because " + reason, {}, 0, {}};
}

BackendChoice fastest_backend(const std::vector<int>& devices, ExpectedForces expected, const Communicator& comm) {
  const std::string too_few = too_few_for_cuda(expected.pairs);
  if (!too_few.empty()) return on_cpu(too_few);
  const std::string reason = host_walks_because(static_cast<int>(devices.size()), comm.size());
  BackendChoice choice = on_devices(devices, reason.empty(), comm);
  if (!choice.backend) return on_cpu(choice.why);
  choice.why += reason.empty() ? "; it also makes the walks, as the only device"
                               : "; the host makes the walks, because " + reason;
  return choice;
}

}  // namespace

std::string host_walks_because(int devices, int ranks) {
  if (ranks > 1) return fmt::format("there are {} ranks", ranks);
  if (devices > 1) return fmt::format("there are {} devices", devices);
  return "";
}

BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices, ExpectedForces expected,
                             const Communicator& comm) {
  if ((name == "direct" || name == "ewald") && !comm.alone()) {
    throw SharedError(fmt::format(
        "backend = \"{}\" works on one rank only: start it without mpiexec, or use cpu, cuda or auto", name));
  }
  if (name == "direct") {
    return {make_reference_backend(true), "direct summation in double precision, as asked", {}, 0, {}};
  }
  if (name == "ewald") return {make_ewald_backend(), "Ewald summation in double precision, as asked", {}, 0, {}};
  if (name.rfind("cpu", 0) == 0 && (name.size() == 3 || name[3] == ':')) {
    return collectively(comm, [&]() -> BackendChoice {
      return {make_simd_backend(name.size() > 4 ? name.substr(4) : ""), "the CPU, as asked", {}, 0, {}};
    });
  }
  if (name == "auto") return fastest_backend(devices, expected, comm);
  if (name != "cuda" && name != "cuda-resident") {
    throw SharedError("unknown back end '" + name + "': use auto, cpu, cuda, cuda-resident, direct or ewald");
  }
  BackendChoice choice = on_devices(devices, name == "cuda-resident", comm);
  if (choice.backend) return choice;
  throw SharedError(fmt::format("backend = \"{}\" cannot be used: {}; use auto or cpu", name, choice.why));
}

}  // namespace multiwalk
