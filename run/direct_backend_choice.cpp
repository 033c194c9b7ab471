#include "run/direct_backend_choice.hpp"

#include <fmt/format.h>

#include "decomposition/agree.hpp"
#include "host/base/error.hpp"
#include "run/backend_choice.hpp"

namespace multiwalk {

namespace {

/// Null on every rank if one has no device that works; `why` then tells why.
DirectBackendChoice cuda_on_ranks(const std::vector<int>& wanted, const Communicator& comm) {
  std::string obstacle;
  const auto allowed = together(comm, [&] { return allowed_devices(wanted, obstacle); });
  const DeviceShare share = share_devices(comm.on_this_host(), allowed);
  DirectBackendChoice choice = together(comm, [&]() -> DirectBackendChoice {
    if (share.devices.empty()) return {nullptr, obstacle.empty() ? "no device is left for it" : obstacle, {}, 0, {}};
    std::vector<int> numbers;
    for (const VisibleDevice& device : share.devices) numbers.push_back(device.number);
    return try_cuda_direct(numbers);
  });
  const int lacking = comm.min(choice.backend ? comm.size() : comm.rank());
  if (lacking < comm.size()) return {nullptr, comm.broadcast(choice.why, lacking), {}, 0, {}};
  choice.metered = share.metered;
  choice.devices_in_all = comm.sum(static_cast<int>(share.metered.size()));
  return choice;
}

DirectBackendChoice on_cpu(const std::string& instruction_set, int threads, const std::string& why,
                           const Communicator& comm) {
  return together(comm, [&]() -> DirectBackendChoice {
    return {make_simd_direct_backend(threads, instruction_set), why, {}, 0, {}};
  });
}

}  // namespace

DirectBackendChoice choose_direct_backend(const std::string& name, const std::vector<int>& devices, int threads,
                                          const Communicator& comm) {
  if (name == "direct") {
    return {make_scalar_direct_backend(), "one scalar loop in double precision, as asked", {}, 0, {}};
  }
  if (name == "cpu") return on_cpu("", threads, "the CPU, as asked", comm);
  if (name.starts_with("cpu:")) return on_cpu(name.substr(4), threads, "the CPU, as asked", comm);
  const bool automatic = name == "auto";
  if (!automatic && name != "cuda") {
    throw SharedError(
        fmt::format("back end \"{}\" does not sum over all pairs of bodies: use auto, cpu, cuda or direct", name));
  }
  DirectBackendChoice choice = cuda_on_ranks(devices, comm);
  if (choice.backend) return choice;
  if (!automatic) {
    throw SharedError(fmt::format("backend = \"cuda\" cannot be used: {}; use auto or cpu", choice.why));
  }
  return on_cpu("", threads, "the CPU, because " + choice.why, comm);
}

}  // namespace multiwalk
