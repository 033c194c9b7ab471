// SPDX-License-Identifier: GPL-3.0-or-later
// Transforms of a mesh in parts against those of the whole.
#include <cmath>
#include <cstdio>
#include <random>

#include "device/base/device_buffer.cuh"
#include "device/mesh/mesh_transform.cuh"
#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

/// A mesh in memory of device 0.
class TransformedMesh {
 public:
  TransformedMesh(std::uint32_t cells, const MeshTransform::Limits& limits) : transform_(cells, limits) {}

  std::vector<float> modes_of(const std::vector<float>& values) {
    return transformed(values, [&](float* mesh, void* work) { transform_.to_modes(mesh, work, stream_); });
  }
  std::vector<float> values_of(const std::vector<float>& modes) {
    return transformed(modes, [&](float* mesh, void* work) { transform_.to_values(mesh, work, stream_); });
  }
  [[nodiscard]] std::size_t size() const { return transform_.size(); }
  [[nodiscard]] std::size_t work_bytes() const { return transform_.work_bytes(); }

 private:
  template <class Act>
  std::vector<float> transformed(std::vector<float> mesh, const Act& act) {
    require(mesh_.reserve(size(), stream_) && work_.reserve(work_bytes(), stream_), "the device is full");
    const std::size_t bytes = size() * sizeof(float);
    check_cuda(cudaMemcpyAsync(mesh_.data(), mesh.data(), bytes, cudaMemcpyHostToDevice, stream_.get()), "a copy");
    act(mesh_.data(), work_.data());
    check_cuda(cudaMemcpyAsync(mesh.data(), mesh_.data(), bytes, cudaMemcpyDeviceToHost, stream_.get()), "a copy");
    check_cuda(cudaStreamSynchronize(stream_.get()), "a copy");
    return mesh;
  }

  DeviceMemory memory_{0, 0};
  Stream stream_;
  MeshTransform transform_;
  DeviceBuffer<float> mesh_{memory_};
  DeviceBuffer<std::byte> work_{memory_};
};

/// The largest difference relative to the rms of `a`, without the last two of each `pitch` elements.
double difference(const std::vector<float>& a, const std::vector<float>& b, std::size_t pitch) {
  double square = 0, worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i % pitch >= pitch - 2) continue;
    square += std::pow(static_cast<double>(a[i]), 2) / static_cast<double>(a.size());
    worst = larger_error(worst, std::fabs(static_cast<double>(a[i] - b[i])));
  }
  return worst / std::sqrt(square);
}

/// Normally distributed values; the padding of lines is 0.
std::vector<float> normal_values(std::uint32_t cells) {
  const std::size_t pitch = 2 * (cells / 2 + 1);
  std::vector<float> values(cells * cells * pitch);
  std::mt19937_64 random(11);
  std::normal_distribution<float> normal(0, 1);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % pitch < cells ? normal(random) : 0.0F;
  return values;
}

TEST(MeshTransform, IsTheSameInParts) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  for (const std::uint32_t cells : {8U, 45U, 96U}) {
    const std::size_t plane = cells * (cells / 2 + 1);
    TransformedMesh whole(cells, {});
    const std::vector<float> values = normal_values(cells), modes = whole.modes_of(values);
    const std::vector<float> back = whole.values_of(modes);
    for (const std::size_t planes : {std::size_t{1}, std::size_t{5}, std::size_t{cells}}) {
      TransformedMesh parts(cells, {0, planes * plane});
      const double forward = difference(modes, parts.modes_of(values), modes.size() + 2);
      const double backward = difference(back, parts.values_of(modes), 2 * (cells / 2 + 1));
      std::printf("%u cells, %zu planes: modes differ by %.1e, values by %.1e of their rms\n", cells, planes, forward,
                  backward);
      EXPECT_LT(forward, 1e-6);
      EXPECT_LT(backward, 1e-6);
    }
  }
}

TEST(MeshTransform, NeedsLittleMemoryInParts) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  EXPECT_EQ(MeshTransform::planes_of_part(1536, MeshTransform::Limits{}.part_modes), 48U);
  EXPECT_EQ(MeshTransform::planes_of_part(2 * 1031, MeshTransform::Limits{}.part_modes), 2U);
  const TransformedMesh parts(256, {0, 16 * 256 * 129});
  EXPECT_LE(parts.work_bytes(), parts.size() * sizeof(float) / 15);
}

}  // namespace
}  // namespace multiwalk::device_test
