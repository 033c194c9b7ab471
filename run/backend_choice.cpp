#include "run/backend_choice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "decomposition/agree.hpp"
#include "host/base/error.hpp"
#include "host/force/simd_backend.hpp"

namespace multiwalk {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host";
}

std::vector<std::string> bus_ids(const std::vector<VisibleDevice>& visible, const std::vector<int>& used) {
  std::vector<std::string> ids;
  for (const VisibleDevice& device : visible) {
    if (std::ranges::find(used, device.number) != used.end()) ids.emplace_back(device.bus_id.data());
  }
  return ids;
}

BackendChoice cuda_alone(const std::string& name, const std::vector<int>& devices) {
  BackendChoice choice = try_cuda(name, devices, 0);
  std::string ignored;
  if (choice.backend) choice.metered = bus_ids(visible_devices(ignored), choice.devices);
  choice.devices_in_all = static_cast<int>(choice.devices.size());
  return choice;
}

/// Null on every rank if one has no device; `why` then tells which host.
BackendChoice cuda_on_ranks(const std::vector<int>& devices, const Communicator& comm) {
  std::string obstacle;
  const auto allowed = together(comm, [&] { return allowed_devices(devices, obstacle); });
  const DeviceShare share = share_devices(comm.on_this_host(), allowed);
  BackendChoice choice = together(comm, [&]() -> BackendChoice {
    if (share.devices.empty()) return {nullptr, obstacle.empty() ? "no device is left for it" : obstacle, {}, 0, {}};
    std::vector<int> numbers;
    for (const VisibleDevice& device : share.devices) numbers.push_back(device.number);
    return try_cuda("cuda", numbers, share.memory_limit);
  });
  const int lacking = comm.min(choice.backend ? comm.size() : comm.rank());
  if (lacking < comm.size()) {
    const std::string where = fmt::format("rank {} on {}: {}", lacking, host_name(), choice.why);
    return {nullptr, comm.broadcast(comm.rank() == lacking ? where : "", lacking), {}, 0, {}};
  }
  choice.metered = share.metered;
  choice.devices_in_all = comm.sum(static_cast<int>(share.metered.size()));
  const int sharers = comm.max(share.ranks);
  choice.why += sharers > 1
                    ? fmt::format("; {} ranks on {} GPUs, up to {} on one", comm.size(), choice.devices_in_all, sharers)
                    : fmt::format("; {} ranks on {} GPUs", comm.size(), choice.devices_in_all);
  return choice;
}

}  // namespace

std::vector<VisibleDevice> allowed_devices(const std::vector<int>& wanted, std::string& why) {
  const std::vector<VisibleDevice> visible = visible_devices(why);
  if (wanted.empty() || visible.empty()) return visible;
  std::vector<VisibleDevice> allowed;
  for (const int number : wanted) {
    const auto found = std::ranges::find(visible, number, &VisibleDevice::number);
    if (found == visible.end()) {
      throw InputError(fmt::format("run.devices: there is no CUDA device {} on {}", number, host_name()));
    }
    allowed.push_back(*found);
  }
  return allowed;
}

BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices, const Communicator& comm) {
  const bool one_walk = name == "cuda-i" || name == "cuda-j";
  if ((name == "direct" || name == "ewald" || one_walk) && !comm.alone()) {
    throw SharedError(fmt::format(
        "backend = \"{}\" works on one rank only: start it without mpiexec, or use cpu, cuda or auto", name));
  }
  if (name == "direct") {
    return {make_reference_backend(true), "direct summation in double precision, as asked", {}, 0, {}};
  }
  if (name == "ewald") return {make_ewald_backend(), "Ewald summation in double precision, as asked", {}, 0, {}};
  if (name.rfind("cpu", 0) == 0 && (name.size() == 3 || name[3] == ':')) {
    return together(comm, [&]() -> BackendChoice {
      return {make_simd_backend(name.size() > 4 ? name.substr(4) : ""), "the CPU, as asked", {}, 0, {}};
    });
  }
  const bool automatic = name == "auto";
  if (!automatic && name != "cuda" && !one_walk) {
    throw SharedError("unknown back end '" + name +
                      "': use auto, cpu, cuda, direct or ewald, or for comparison cuda-i, cuda-j");
  }
  BackendChoice choice = comm.alone() ? cuda_alone(automatic ? "cuda" : name, devices) : cuda_on_ranks(devices, comm);
  if (choice.backend) return choice;
  if (!automatic) {
    throw SharedError(fmt::format("backend = \"{}\" cannot be used: {}; use auto or cpu", name, choice.why));
  }
  return {make_simd_backend(), "the CPU, because " + choice.why, {}, 0, {}};
}

}  // namespace multiwalk
