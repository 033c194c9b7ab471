// SPDX-License-Identifier: GPL-3.0-or-later
// Fourier transforms of a real cubic mesh on one device (cuFFT), in place.
#pragma once

#include <cufft.h>

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"

namespace multiwalk {

/// In single precision. Values lie at [(x N + y) 2 (N/2 + 1) + z], modes of n_z >= 0 at [(x N + y) (N/2 + 1) + z] as
/// complex numbers. Without factors: to_values after to_modes gives N^3 times the values.
class MeshTransform {
 public:
  /// For the current device. Throws Error if cuFFT fails.
  explicit MeshTransform(std::uint32_t cells);
  ~MeshTransform();
  MeshTransform(const MeshTransform&) = delete;
  MeshTransform& operator=(const MeshTransform&) = delete;

  [[nodiscard]] std::uint32_t cells() const { return cells_; }
  /// Floats of a mesh.
  [[nodiscard]] std::size_t size() const { return std::size_t{cells_} * cells_ * 2 * (cells_ / 2 + 1); }
  /// Working memory that a transform needs.
  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }
  void to_modes(float* mesh, void* work, const Stream& stream) const;
  void to_values(float* mesh, void* work, const Stream& stream) const;

 private:
  std::uint32_t cells_;
  cufftHandle forward_ = 0, backward_ = 0;
  std::size_t work_bytes_ = 0;
};

/// The same in double precision, only to modes.
class FineTransform {
 public:
  explicit FineTransform(std::uint32_t cells);
  ~FineTransform();
  FineTransform(const FineTransform&) = delete;
  FineTransform& operator=(const FineTransform&) = delete;

  [[nodiscard]] std::uint32_t cells() const { return cells_; }
  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }
  void to_modes(double* mesh, void* work, const Stream& stream) const;

 private:
  std::uint32_t cells_;
  cufftHandle plan_ = 0;
  std::size_t work_bytes_ = 0;
};

}  // namespace multiwalk
