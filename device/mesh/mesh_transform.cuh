// SPDX-License-Identifier: GPL-3.0-or-later
// Fourier transforms of a real cubic mesh on one device (cuFFT), in place.
#pragma once

#include <cufft.h>

#include <cstddef>
#include <cstdint>

#include "device/base/stream.cuh"

namespace multiwalk {

/// In single precision. Values lie at [(x N + y) 2 (N/2 + 1) + z], modes of n_z >= 0 at [(x N + y) (N/2 + 1) + z] as
/// complex numbers. Without factors: to_values after to_modes gives N^3 times the values. cuFFT's working memory for a
/// whole mesh is as large as the mesh, so large meshes are transformed in parts, some planes or columns at a time.
class MeshTransform {
 public:
  struct Limits {
    std::uint32_t whole_cells = 1024;                ///< of the largest mesh that is transformed as a whole
    std::size_t part_modes = std::size_t{64} << 20;  ///< of a part, unless a single plane has more
  };

  /// For the current device. Throws Error if cuFFT fails.
  explicit MeshTransform(std::uint32_t cells) : MeshTransform(cells, Limits{}) {}
  MeshTransform(std::uint32_t cells, const Limits& limits);
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

  /// Planes of a part of a mesh that is not transformed as a whole; they divide `cells`.
  [[nodiscard]] static std::uint32_t planes_of_part(std::uint32_t cells, std::size_t most_modes);

 private:
  /// Calls act(floats of a part).
  template <class Act>
  void for_each_part(float* mesh, const Act& act) const {
    const std::size_t part = size() / cells_ * planes_;
    for (std::size_t first = 0; first < size(); first += part) act(mesh + first);
  }
  void transform_along_x(float* mesh, int direction, void* work, const Stream& stream) const;

  std::uint32_t cells_;
  std::uint32_t planes_;  ///< of a part, along x; all planes if the mesh is one part
  bool whole_;
  cufftHandle forward_ = 0, backward_ = 0;  ///< of the whole mesh, or of a part's planes, each along y and z
  cufftHandle along_x_ = 0;                 ///< of the columns along x through as many lines, unless whole
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
