// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/backends/direct_backend.hpp"

#include <fmt/format.h>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

DirectBackendChoice on_cpu(const std::string& instruction_set, int threads, const std::string& why,
                           const Communicator& comm) {
  return collectively(comm, [&]() -> DirectBackendChoice {
    return {make_simd_direct_backend(threads, instruction_set), why, {}, 0, {}};
  });
}

}  // namespace

DirectBackendChoice choose_direct_backend(const std::string& name, const std::vector<int>& devices, int threads,
                                          double pairs, const Communicator& comm) {
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
  const std::string too_few = automatic ? too_few_for_cuda(pairs) : "";
  if (!too_few.empty()) return on_cpu("", threads, "the CPU, because " + too_few, comm);
  DirectBackendChoice choice =
      cuda_on_ranks<DirectBackend>(devices, comm, [](const OwnDevices& own) { return try_cuda_direct(own.numbers); });
  if (choice.backend) return choice;
  if (!automatic) {
    throw SharedError(fmt::format("backend = \"cuda\" cannot be used: {}; use auto or cpu", choice.why));
  }
  return on_cpu("", threads, "the CPU, because " + choice.why, comm);
}

int threads_of_messages(const DirectBackendChoice& choice, const Communicator& comm) {
  return comm.alone() || choice.devices.empty() ? 0 : 1;
}

}  // namespace multiwalk
