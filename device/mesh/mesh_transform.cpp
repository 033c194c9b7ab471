// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/mesh_transform.cuh"

#include <algorithm>
#include <array>
#include <string>

#include "device/mesh/cufft_library.hpp"

namespace multiwalk {

namespace {

void check_cufft(cufftResult status, const char* call) {
  if (status != CUFFT_SUCCESS) throw Error(std::string(call) + ": cuFFT error " + std::to_string(status));
}

/// A plan without working memory of its own; it will need `bytes` of it.
void make_plan(cufftHandle& plan, std::uint32_t cells, cufftType type, std::size_t& bytes) {
  const long long n = cells, half = n / 2 + 1;
  std::array<long long, 3> size{n, n, n}, reals{n, n, 2 * half}, modes{n, n, half};
  const bool forward = type != CUFFT_C2R;
  auto& in = forward ? reals : modes;
  auto& out = forward ? modes : reals;
  check_cufft(cufft_library().create(&plan), "cufftCreate");
  check_cufft(cufft_library().set_auto_allocation(plan, 0), "cufftSetAutoAllocation");
  check_cufft(cufft_library().make_plan(plan, 3, size.data(), in.data(), 1, in[0] * in[1] * in[2], out.data(), 1,
                                        out[0] * out[1] * out[2], type, 1, &bytes),
              "cufftMakePlanMany64");
}

}  // namespace

MeshTransform::MeshTransform(std::uint32_t cells) : cells_(cells) {
  std::size_t forward = 0, backward = 0;
  make_plan(forward_, cells, CUFFT_R2C, forward);
  make_plan(backward_, cells, CUFFT_C2R, backward);
  work_bytes_ = std::max<std::size_t>({forward, backward, 1});
}

MeshTransform::~MeshTransform() {
  for (const cufftHandle plan : {forward_, backward_}) {
    if (plan != 0) cufft_library().destroy(plan);
  }
}

void MeshTransform::to_modes(float* mesh, void* work, const Stream& stream) const {
  check_cufft(cufft_library().set_stream(forward_, stream.get()), "cufftSetStream");
  check_cufft(cufft_library().set_work_area(forward_, work), "cufftSetWorkArea");
  check_cufft(cufft_library().r2c(forward_, mesh, reinterpret_cast<cufftComplex*>(mesh)), "cufftExecR2C");
}

void MeshTransform::to_values(float* mesh, void* work, const Stream& stream) const {
  check_cufft(cufft_library().set_stream(backward_, stream.get()), "cufftSetStream");
  check_cufft(cufft_library().set_work_area(backward_, work), "cufftSetWorkArea");
  check_cufft(cufft_library().c2r(backward_, reinterpret_cast<cufftComplex*>(mesh), mesh), "cufftExecC2R");
}

FineTransform::FineTransform(std::uint32_t cells) : cells_(cells) {
  make_plan(plan_, cells, CUFFT_D2Z, work_bytes_);
  work_bytes_ = std::max<std::size_t>(work_bytes_, 1);
}

FineTransform::~FineTransform() {
  if (plan_ != 0) cufft_library().destroy(plan_);
}

void FineTransform::to_modes(double* mesh, void* work, const Stream& stream) const {
  check_cufft(cufft_library().set_stream(plan_, stream.get()), "cufftSetStream");
  check_cufft(cufft_library().set_work_area(plan_, work), "cufftSetWorkArea");
  check_cufft(cufft_library().d2z(plan_, mesh, reinterpret_cast<cufftDoubleComplex*>(mesh)), "cufftExecD2Z");
}

}  // namespace multiwalk
