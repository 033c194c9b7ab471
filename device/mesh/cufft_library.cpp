// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/cufft_library.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr int here = 0;  ///< its address is in the program or shared library that contains this code

std::vector<std::string> cufft_places() {
  const std::string name = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  std::vector<std::string> places{name, MULTIWALK_CUFFT_FOLDER "/" + name, "/usr/local/cuda/lib64/" + name};
  Dl_info own{};
  if (::dladdr(&here, &own) != 0 && own.dli_fname != nullptr) {
    // .../site-packages/multiwalk/_multiwalk.so; NVIDIA's wheels are in .../site-packages/nvidia.
    const auto packages = std::filesystem::path(own.dli_fname).parent_path().parent_path();
    const std::string toolkit = "cu" + std::to_string(CUDART_VERSION / 1000);
    for (const std::string& part : {toolkit, std::string("cufft")}) {
      places.push_back(packages / "nvidia" / part / "lib" / name);
    }
  }
  return places;
}

void* open_cufft() {
  std::string reasons;
  for (const std::string& place : cufft_places()) {
    if (void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    reasons += std::string("\n  ") + ::dlerror();
  }
  throw Error(
      "the mesh on a GPU needs cuFFT " + std::to_string(CUFFT_VER_MAJOR) +
      ", which could not be loaded (install the CUDA toolkit's cuFFT, or in Python NVIDIA's wheel of it):" + reasons);
}

CufftLibrary load_cufft() {
  void* library = open_cufft();  // stays open until the process ends
  CufftLibrary found;
  const auto load = [&]<class Function>(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(::dlsym(library, symbol));
    if (function == nullptr) throw Error(std::string("cuFFT lacks ") + symbol);
  };
  load(found.create, "cufftCreate");
  load(found.destroy, "cufftDestroy");
  load(found.set_auto_allocation, "cufftSetAutoAllocation");
  load(found.make_plan, "cufftMakePlanMany64");
  load(found.set_stream, "cufftSetStream");
  load(found.set_work_area, "cufftSetWorkArea");
  load(found.c2c, "cufftExecC2C");
  load(found.r2c, "cufftExecR2C");
  load(found.c2r, "cufftExecC2R");
  load(found.d2z, "cufftExecD2Z");
  return found;
}

}  // namespace

const CufftLibrary& cufft_library() {
  static const CufftLibrary library = load_cufft();
  return library;
}

}  // namespace multiwalk
