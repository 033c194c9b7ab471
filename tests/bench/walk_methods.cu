// SPDX-License-Identifier: GPL-3.0-or-later
// The three ways of Hamada et al. (2009), Fig. 1, to share the pairs of walks among thread blocks, on the walks of a
// Plummer sphere with monopoles: a walk per launch, its targets (i-parallel) or its sources (j-parallel) divided among
// blocks, and many walks per launch, a block each. All use the same kernel, with lists that lie on the device. Fails if
// the forces on some targets are wrong. No device: says so and exits with 77.
#include <cstdio>

#include "device/base/cuda_check.cuh"
#include "tests/bench/plummer_walks.cuh"

namespace multiwalk::device_test {
namespace {

constexpr std::uint32_t block_targets = 128;  ///< of a block that is i-parallel
constexpr std::uint32_t least_part = 64;      ///< sources that are worth a block

/// Walks of one launch each, in pieces that are evaluated by one block each.
struct Pieces {
  std::vector<Walk> walk;
  std::vector<std::uint32_t> first{0};  ///< (walks + 1) piece of each walk
  std::uint32_t most = 0;               ///< of a walk

  void end_walk() {
    first.push_back(static_cast<std::uint32_t>(walk.size()));
    most = std::max(most, first.back() - *(first.end() - 2));
  }
};

Pieces divide_targets(const std::vector<Walk>& walks) {
  Pieces pieces;
  for (const Walk& walk : walks) {
    for (std::uint32_t begin = 0; begin < walk.target_count; begin += block_targets) {
      Walk piece = walk;
      piece.target_first = piece.result_first = walk.target_first + begin;
      piece.target_count = std::min(block_targets, walk.target_count - begin);
      pieces.walk.push_back(piece);
    }
    pieces.end_walk();
  }
  return pieces;
}

/// A walk's pieces have their results one after the other.
Pieces divide_sources(const std::vector<Walk>& walks, std::uint32_t most) {
  Pieces pieces;
  for (const Walk& walk : walks) {
    const std::uint32_t parts = std::clamp((walk.cell_count + walk.source_count) / least_part, 1U, most);
    const auto begin = [&](std::uint32_t count, std::uint32_t part) {
      return static_cast<std::uint32_t>(std::uint64_t{count} * part / parts);
    };
    for (std::uint32_t part = 0; part < parts; ++part) {
      Walk piece = walk;
      piece.cell_first += begin(walk.cell_count, part);
      piece.cell_count = begin(walk.cell_count, part + 1) - begin(walk.cell_count, part);
      piece.range_first += begin(walk.range_count, part);
      piece.range_count = begin(walk.range_count, part + 1) - begin(walk.range_count, part);
      piece.result_first = part * walk.target_count;
      pieces.walk.push_back(piece);
    }
    pieces.end_walk();
  }
  return pieces;
}

__global__ void add_parts(const float4* part, std::uint32_t parts, std::uint32_t targets, float4* sum) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= targets) return;
  float4 all = part[i];
  for (std::uint32_t p = 1; p < parts; ++p) {
    const float4 more = part[std::size_t{p} * targets + i];
    all = {all.x + more.x, all.y + more.y, all.z + more.z, all.w + more.w};
  }
  sum[i] = all;
}

/// The walks without lists of their own for far cells.
WalkBatch plain_walks(const Walks& walks) {
  WalkBatch batch = walks.batch;
  for (Walk& walk : batch.walks) walk.far_count = 0;
  return batch;
}

class Methods {
 public:
  Methods(const Sphere& sphere, const Walks& walks, SphereOnDevice& device)
      : sphere_(sphere), batch_(plain_walks(walks)), device_(device), pairs_(walks.far + walks.near + walks.runs) {}

  void measure() {
    const std::vector<Walk> all(batch_.walks.begin(), batch_.walks.end());
    report("i-parallel", divide_targets(all), false);
    int processors = 0;
    check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "cudaDeviceGetAttribute");
    report("j-parallel", divide_sources(all, 2 * static_cast<std::uint32_t>(processors)), true);
    device_.take(all, batch_);
    tell("multiple walks", 1, device_.seconds([&] { launch_walks(device_.launch, device_.stream.get()); }));
  }

 private:
  /// A launch for each walk; where sources are divided, the parts of each target are then added.
  void report(const char* name, const Pieces& pieces, bool sources) {
    device_.take(pieces.walk, batch_);
    float4* const result = device_.launch.result;
    std::size_t targets = 0;
    for (const Walk& walk : batch_.walks) targets = std::max<std::size_t>(targets, walk.target_count);
    require(part_.reserve(pieces.most * targets, device_.stream), "the device is full");
    const double seconds = device_.seconds([&] {
      for (std::size_t w = 0; w < batch_.walks.size(); ++w) {
        const Walk& walk = batch_.walks[w];
        WalkLaunch launch = device_.launch;
        launch.walk += pieces.first[w];
        launch.walk_count = pieces.first[w + 1] - pieces.first[w];
        if (sources) launch.result = part_.data();
        launch_walks(launch, device_.stream.get());
        if (!sources) continue;
        add_parts<<<(walk.target_count + 127) / 128, 128, 0, device_.stream.get()>>>(
            part_.data(), launch.walk_count, walk.target_count, result + walk.target_first);
        check_cuda(cudaGetLastError(), "add_parts");
      }
    });
    tell(name, batch_.walks.size(), seconds);
  }

  void tell(const char* name, std::size_t launches, double seconds) {
    std::printf("%5.0f  %-14s %9zu %10.2f %13.3f %12.3g\n", particles / static_cast<double>(batch_.walks.size()), name,
                launches, 1e3 * seconds, 1e-12 * pairs_ / seconds, particles / seconds);
    std::fflush(stdout);
    device_.check(sphere_, batch_);
  }

  const Sphere& sphere_;
  WalkBatch batch_;
  SphereOnDevice& device_;
  double pairs_;
  DeviceMemory memory_{0, 0};
  DeviceBuffer<float4> part_{memory_};
};

int run() {
  if (!backend_or_null()) {
    std::puts("no CUDA device");
    return 77;
  }
  const Sphere sphere;
  SphereOnDevice device(sphere);
  device.launch.quadrupole = false;
  std::puts("group  method          launches         ms  1e12 pairs/s  particles/s");
  for (const std::uint32_t group_size : {128U, 512U, 2048U})
    Methods(sphere, Walks(sphere, group_size), device).measure();
  return 0;
}

}  // namespace
}  // namespace multiwalk::device_test

int main() try { return multiwalk::device_test::run(); } catch (const std::exception& error) {
  std::fprintf(stderr, "bench_walk_methods: %s\n", error.what());
  return 1;
}
