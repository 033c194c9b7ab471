#include "device/multiwalk_backend.hpp"
#include "run/backend_choice.hpp"

namespace multiwalk {

BackendChoice try_cuda(const std::vector<int>& devices) {
  BackendChoice choice;
  CudaOptions options;
  options.devices = devices;
  choice.backend = make_cuda_backend(options, choice.why);
  if (!choice.backend) return choice;
  choice.devices = devices;
  if (devices.empty()) {
    std::string ignored;
    for (const DeviceDescription& device : find_devices(ignored)) {
      if (device.fault.empty()) choice.devices.push_back(device.number);
    }
  }
  choice.why = "the GPU works: " + choice.backend->description();
  return choice;
}

}  // namespace multiwalk
