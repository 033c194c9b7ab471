// Which force back end a run uses, and why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/force/force_backend.hpp"

namespace multiwalk {

struct BackendChoice {
  std::unique_ptr<ForceBackend> backend;
  std::string why;           ///< one line for the log
  std::vector<int> devices;  ///< CUDA devices in use; empty on the CPU
};

/// `name`: auto (a GPU if one works, else the CPU), cpu, cpu:INSTRUCTION_SET, cuda, direct. `devices`: CUDA device
/// numbers, empty for all. Throws InputError if what was asked for does not work here.
BackendChoice choose_backend(const std::string& name, const std::vector<int>& devices);

/// A CUDA back end, or null and the reason (no device, or a program built without CUDA).
BackendChoice try_cuda(const std::vector<int>& devices);

}  // namespace multiwalk
