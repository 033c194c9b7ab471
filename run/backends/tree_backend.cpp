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

BackendChoice on_cpu(const std::string& reason) {
  return {make_simd_backend(), "the CPU, because " + reason, {}, 0, {}};
}

/// On GPUs, or null and the reason in `why`. Collective.
BackendChoice on_devices(const std::vector<int>& wanted, const ExpectedForces& expected, const Communicator& comm) {
  WalkFacts facts{expected.walks, expected.particles, comm.size()};
  const auto attempt = [&](const OwnDevices& own) {
    facts.devices = own.most;
    return try_cuda(own.numbers, own.memory_limit, choose_walks(facts).by_devices);
  };
  BackendChoice choice;
  if (comm.alone()) {
    const std::vector<int> numbers = wanted.empty() ? first_working_device() : wanted;
    choice = attempt({numbers, 0, static_cast<int>(numbers.size())});
    std::string ignored;
    if (choice.backend) choice.metered = bus_ids(visible_devices(ignored), choice.devices);
    choice.devices_in_all = static_cast<int>(choice.devices.size());
  } else {
    choice = cuda_on_ranks<ForceBackend>(wanted, comm, attempt);
  }
  if (choice.backend) choice.why += "; " + choose_walks(facts).why;
  return choice;
}

/// `name`: auto, cuda or another name for that; auto may take the CPU. Collective.
BackendChoice on_gpus(const std::string& name, const std::vector<int>& devices, const ExpectedForces& expected,
                      const Communicator& comm) {
  const bool automatic = name == "auto";
  if (!automatic && name != "cuda" && name != "cuda-resident") {
    throw SharedError("unknown back end '" + name + "': use auto, cpu, cuda, direct or ewald");
  }
  const std::string too_few = automatic ? too_few_for_cuda(expected.pairs) : "";
  if (!too_few.empty()) return on_cpu(too_few);
  BackendChoice choice = on_devices(devices, expected, comm);
  if (choice.backend) return choice;
  if (automatic) return on_cpu(choice.why);
  throw SharedError(fmt::format("backend = \"{}\" cannot be used: {}; use auto or cpu", name, choice.why));
}

}  // namespace

std::string name_with_devices(ForceBackend& backend) {
  const char* const walks = backend.device_walker() != nullptr ? ", walks by devices" : "";
  return fmt::format("{}{} ({})", backend.name(), walks, backend.description());
}

BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices, ExpectedForces expected,
                             const Communicator& comm) {
  expected.walks = asked_walks(name, expected.walks);
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
  return on_gpus(name, devices, expected, comm);
}

}  // namespace multiwalk
