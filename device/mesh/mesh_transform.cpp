// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/mesh/mesh_transform.cuh"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "device/mesh/cufft_library.hpp"

namespace multiwalk {

namespace {

void check_cufft(cufftResult status, const char* call) {
  if (status != CUFFT_SUCCESS) throw Error(std::string(call) + ": cuFFT error " + std::to_string(status));
}

/// `batch` transforms of `rank` dimensions: element (x, y, ...) of transform b is at
/// ((x extent[1] + y) extent[2] + ...) stride + b distance; values and modes have their own extents and distances.
struct Shape {
  int rank;
  std::array<long long, 3> size, values, modes;
  long long stride, value_distance, mode_distance, batch;
};

Shape whole_mesh(std::uint32_t cells) {
  const long long n = cells, half = n / 2 + 1;
  return {3, {n, n, n}, {n, n, 2 * half}, {n, n, half}, 1, n * n * 2 * half, n * n * half, 1};
}

/// A plan without working memory of its own; it will need `bytes` of it.
void make_plan(cufftHandle& plan, Shape shape, cufftType type, std::size_t& bytes) {
  if (type == CUFFT_C2R) {
    std::swap(shape.values, shape.modes);
    std::swap(shape.value_distance, shape.mode_distance);
  }
  check_cufft(cufft_library().create(&plan), "cufftCreate");
  check_cufft(cufft_library().set_auto_allocation(plan, 0), "cufftSetAutoAllocation");
  check_cufft(cufft_library().make_plan(plan, shape.rank, shape.size.data(), shape.values.data(), shape.stride,
                                        shape.value_distance, shape.modes.data(), shape.stride, shape.mode_distance,
                                        type, shape.batch, &bytes),
              "cufftMakePlanMany64");
}

void use(cufftHandle plan, void* work, const Stream& stream) {
  check_cufft(cufft_library().set_stream(plan, stream.get()), "cufftSetStream");
  check_cufft(cufft_library().set_work_area(plan, work), "cufftSetWorkArea");
}

}  // namespace

std::uint32_t MeshTransform::planes_of_part(std::uint32_t cells, std::size_t most_modes) {
  const std::size_t plane = std::size_t{cells} * (cells / 2 + 1);
  auto planes = static_cast<std::uint32_t>(std::clamp<std::size_t>(most_modes / plane, 1, cells));
  while (cells % planes != 0) --planes;
  return planes;
}

MeshTransform::MeshTransform(std::uint32_t cells, const Limits& limits)
    : cells_(cells),
      planes_(cells <= limits.whole_cells ? cells : planes_of_part(cells, limits.part_modes)),
      whole_(cells <= limits.whole_cells) {
  std::size_t forward = 0, backward = 0, along_x = 0;
  const long long n = cells, half = n / 2 + 1, planes = planes_;
  const Shape shape =
      whole_ ? whole_mesh(cells) : Shape{2, {n, n}, {n, 2 * half}, {n, half}, 1, n * 2 * half, n * half, planes};
  make_plan(forward_, shape, CUFFT_R2C, forward);
  make_plan(backward_, shape, CUFFT_C2R, backward);
  if (!whole_) make_plan(along_x_, {1, {n}, {n}, {n}, n * half, 1, 1, planes * half}, CUFFT_C2C, along_x);
  work_bytes_ = std::max<std::size_t>({forward, backward, along_x, 1});
}

MeshTransform::~MeshTransform() {
  for (const cufftHandle plan : {forward_, backward_, along_x_}) {
    if (plan != 0) cufft_library().destroy(plan);
  }
}

/// Transforms the columns along x, those through some lines along z at a time.
void MeshTransform::transform_along_x(float* mesh, int direction, void* work, const Stream& stream) const {
  use(along_x_, work, stream);
  for (std::uint32_t y = 0; y < cells_; y += planes_) {
    auto* const modes = reinterpret_cast<cufftComplex*>(mesh) + std::size_t{y} * (cells_ / 2 + 1);
    check_cufft(cufft_library().c2c(along_x_, modes, modes, direction), "cufftExecC2C");
  }
}

void MeshTransform::to_modes(float* mesh, void* work, const Stream& stream) const {
  use(forward_, work, stream);
  for_each_part(mesh, [&](float* part) {
    check_cufft(cufft_library().r2c(forward_, part, reinterpret_cast<cufftComplex*>(part)), "cufftExecR2C");
  });
  if (!whole_) transform_along_x(mesh, CUFFT_FORWARD, work, stream);
}

void MeshTransform::to_values(float* mesh, void* work, const Stream& stream) const {
  if (!whole_) transform_along_x(mesh, CUFFT_INVERSE, work, stream);
  use(backward_, work, stream);
  for_each_part(mesh, [&](float* part) {
    check_cufft(cufft_library().c2r(backward_, reinterpret_cast<cufftComplex*>(part), part), "cufftExecC2R");
  });
}

FineTransform::FineTransform(std::uint32_t cells) : cells_(cells) {
  make_plan(plan_, whole_mesh(cells), CUFFT_D2Z, work_bytes_);
  work_bytes_ = std::max<std::size_t>(work_bytes_, 1);
}

FineTransform::~FineTransform() {
  if (plan_ != 0) cufft_library().destroy(plan_);
}

void FineTransform::to_modes(double* mesh, void* work, const Stream& stream) const {
  use(plan_, work, stream);
  check_cufft(cufft_library().d2z(plan_, mesh, reinterpret_cast<cufftDoubleComplex*>(mesh)), "cufftExecD2Z");
}

}  // namespace multiwalk
