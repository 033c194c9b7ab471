// Stands in for devices_cuda.cpp in a program built without CUDA.
#include "run/backend_choice.hpp"

namespace multiwalk {

BackendChoice try_cuda(const std::vector<int>&) {
  return {nullptr, "this program was built without CUDA (no nvcc was found)", {}};
}

}  // namespace multiwalk
