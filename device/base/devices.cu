// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>
#include <string>

#include "device/base/device_buffer.cuh"
#include "device/base/devices.hpp"
#include "host/base/error.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

namespace {

__global__ void probe_kernel(int* answer) {
  *answer += 1;
}

/// Runs a kernel on the device and reads its result.
void probe(DeviceDescription& description) {
  DeviceMemory memory(description.number, 0);
  memory.make_current();
  const Stream stream;
  DeviceBuffer<int> answer(memory);
  require(answer.reserve(1, stream), "no memory is free");
  int value = 41;
  check_cuda(cudaMemcpyAsync(answer.data(), &value, sizeof value, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpy");
  probe_kernel<<<1, 1, 0, stream.get()>>>(answer.data());
  check_cuda(cudaGetLastError(), "probe_kernel");
  check_cuda(cudaMemcpyAsync(&value, answer.data(), sizeof value, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpy");
  check_cuda(cudaStreamSynchronize(stream.get()), "probe_kernel");
  require(value == 42, "a test kernel gave a wrong answer");
  std::size_t total = 0;
  check_cuda(cudaMemGetInfo(&description.memory_free, &total), "cudaMemGetInfo");
}

DeviceDescription describe(int number, bool tried) {
  DeviceDescription description;
  description.number = number;
  try {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, number), "cudaGetDeviceProperties");
    description.name = properties.name;
    description.major = properties.major;
    description.minor = properties.minor;
    description.multiprocessors = properties.multiProcessorCount;
    description.memory = properties.totalGlobalMem;
    char bus_id[32] = {};
    check_cuda(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, number), "cudaDeviceGetPCIBusId");
    description.bus_id = bus_id;
    if (tried) probe(description);
  } catch (const std::exception& e) {
    cudaGetLastError();
    description.fault = e.what();
  }
  return description;
}

/// Whether CUDA cannot start because the parent of this process has used it.
bool lost_by_fork(cudaError_t status) {
  return status == cudaErrorInitializationError && fork_count() > 0;
}

/// How many devices the driver shows; if none, `why` is set. Never throws.
int count_devices(std::string& why) {
  // As many queues to the device as there are: otherwise batches of different threads wait for each other.
  setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  cudaGetLastError();
  // Without any driver CUDA reports one that is too old.
  why = status == cudaErrorInsufficientDriver ? "there is no NVIDIA driver here, or one older than this program's CUDA"
        : status == cudaSuccess               ? "the CUDA driver shows no device"
        : lost_by_fork(status)                ? "CUDA was used before this process was forked"
                                              : cudaGetErrorString(status);
  return 0;
}

}  // namespace

std::vector<DeviceDescription> list_devices(std::string& why) {
  std::vector<DeviceDescription> found;
  const int count = count_devices(why);
  for (int number = 0; number < count; ++number) found.push_back(describe(number, false));
  return found;
}

std::vector<DeviceDescription> find_devices(std::string& why, const std::vector<int>& tried) {
  std::vector<DeviceDescription> found;
  const int count = count_devices(why);
  if (int ignored = 0; count == 0 && lost_by_fork(cudaGetDeviceCount(&ignored))) {
    cudaGetLastError();
    throw InputError(why + ": " + spawn_advice + ", or choose the back end \"cpu\"");
  }
  for (int number = 0; number < count; ++number) {
    found.push_back(describe(number, tried.empty() || std::find(tried.begin(), tried.end(), number) != tried.end()));
  }
  return found;
}

}  // namespace multiwalk
