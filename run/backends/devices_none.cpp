// SPDX-License-Identifier: GPL-3.0-or-later
// Replaces devices_cuda.cpp in a program built without CUDA.
#include "run/backends/direct_backend.hpp"
#include "run/backends/tree_backend.hpp"

namespace multiwalk {

namespace {

constexpr const char* obstacle = "this program was built without CUDA (no nvcc was found)";

}  // namespace

std::vector<VisibleDevice> visible_devices(std::string& why) {
  why = obstacle;
  return {};
}

std::vector<int> working_devices() {
  return {};
}

std::vector<int> first_working_device() {
  return {};
}

BackendChoice try_cuda(const std::vector<int>&, std::uint64_t, bool) {
  return {nullptr, obstacle, {}, 0, {}};
}

DirectBackendChoice try_cuda_direct(const std::vector<int>&) {
  return {nullptr, obstacle, {}, 0, {}};
}

std::unique_ptr<BlockStepper> cuda_block_stepper(int) {
  return nullptr;
}

}  // namespace multiwalk
