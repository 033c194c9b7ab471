// Which CUDA devices there are, and which of them work.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace multiwalk {

struct DeviceDescription {
  int number = 0;  ///< CUDA's device number
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory = 0;       ///< bytes
  std::size_t memory_free = 0;  ///< bytes
  std::string fault;            ///< empty if a kernel of this program ran there; else why not
};

/// Every device the driver shows, each tried with a small kernel. None: `why` says why. Never throws.
std::vector<DeviceDescription> find_devices(std::string& why);

}  // namespace multiwalk
