// SPDX-License-Identifier: GPL-3.0-or-later
// Milliseconds of the parts of the device's mesh force, for particles everywhere or in clusters, in key order or in
// any.
//   bench_device_mesh [PARTICLES_PER_SIDE [CELLS_PER_SIDE]]
// No device: says so and exits with 77.
#include "device/mesh/device_mesh.cuh"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "host/tree/octree.hpp"
#include "tests/device/random_walks.hpp"

namespace multiwalk::device_test {
namespace {

/// In the unit box; three quarters in spheres of 20,000 particles whose density falls as r^-2, if `clusters`.
ParticleStore particles_of(std::size_t n, bool clusters) {
  ParticleStore store;
  store.resize(n);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto anywhere = [&] { return Vec3d{uniform(engine), uniform(engine), uniform(engine)}; };
  Vec3d centre;
  for (std::size_t i = 0; i < n; ++i) {
    store.mass[i] = 1;
    Vec3d x = 0.5 * (anywhere() + Vec3d{1, 1, 1});
    if (i % 20000 == 0) centre = x;
    if (clusters && i % 4 > 0) {
      const Vec3d direction = anywhere();
      x = centre + direction * (0.5 * uniform(engine) / std::cbrt(static_cast<double>(n)) * 20 / norm(direction));
    }
    for (int axis = 0; axis < 3; ++axis) store.position[i][axis] = x[axis] - std::floor(x[axis]);
  }
  return store;
}

/// The particles of a store on the device, and meshes.
class Timed {
 public:
  Timed(const ParticleStore& store, std::uint32_t cells) : cells_(cells), n_(store.size()) {
    upload(position_, store.position.data());
    upload(mass_, store.mass.data());
    const std::size_t lines = std::size_t{cells} * cells, points = lines * cells, floats = lines * 2 * (cells / 2 + 1);
    require(acceleration_.reserve(n_, stream_) && potential_.reserve(n_, stream_), "the device is full");
    check_cuda(cudaMemsetAsync(acceleration_.data(), 0, n_ * sizeof(Vec3f), stream_.get()), "cudaMemsetAsync");
    check_cuda(cudaMemsetAsync(potential_.data(), 0, n_ * sizeof(float), stream_.get()), "cudaMemsetAsync");
    require(counts_.reserve(points, stream_) && field_.reserve(floats, stream_), "the device is full");
    check_cuda(cudaMemsetAsync(counts_.data(), 0, points * sizeof(unsigned long long), stream_.get()),
               "cudaMemsetAsync");
    check_cuda(cudaMemsetAsync(field_.data(), 0, floats * sizeof(float), stream_.get()), "cudaMemsetAsync");
  }

  void report(const char* name) {
    const MassPoints points{position_.data(), mass_.data(), n_};
    const MeshPlaces places{1, cells_, 0};
    const double ordering = fastest([&] { require(order_.make(points, 1, cells_, stream_), "the device is full"); });
    const double counts_of_mass = std::exp2(std::floor(std::log2(0x1p61 / static_cast<double>(n_))));
    const MeshCounts counts{counts_.data(), cells_};
    const double depositing = fastest([&] { deposit(order_.view(), places, counts_of_mass, counts, stream_); });
    const FieldResult result{.sum = &acceleration_.data()->x, .stride = 3};
    const double interpolating = fastest([&] { interpolate(order_.view(), places, field_.data(), result, stream_); });
    release();
    const PairLaw law{1, 0, MultipoleOrder::quadrupole, 1, {1.25 / cells_, 6.25 / cells_}};
    const double all = fastest([&] {
      require(
          mesh_.add(points, law, {cells_, 1.25 / cells_}, {acceleration_.data(), potential_.data(), nullptr}, stream_),
          "the device is full");
    });
    std::printf("%-22s %8.2f %8.2f %8.2f %8.2f\n", name, ordering, depositing, interpolating, all);
    std::fflush(stdout);
  }

 private:
  template <class T>
  void upload(DeviceBuffer<T>& buffer, const T* from) {
    require(buffer.reserve(n_, stream_), "the device is full");
    check_cuda(cudaMemcpyAsync(buffer.data(), from, n_ * sizeof(T), cudaMemcpyHostToDevice, stream_.get()), "a copy");
    check_cuda(cudaStreamSynchronize(stream_.get()), "a copy");
  }
  void release() {
    order_.release(stream_);
    counts_.release(stream_);
    field_.release(stream_);
  }
  /// Milliseconds of the fastest of four.
  template <class Act>
  double fastest(const Act& act) {
    double best = 1e30;
    for (int repeat = 0; repeat < 4; ++repeat) {
      begin_.record(stream_);
      act();
      end_.record(stream_);
      end_.synchronize();
      best = std::min(best, 1e3 * end_.seconds_since(begin_));
    }
    return best;
  }

  std::uint32_t cells_;
  std::size_t n_;
  DeviceMemory memory_{0, 0};
  Stream stream_;
  Event begin_, end_;
  DeviceBuffer<Vec3d> position_{memory_};
  DeviceBuffer<float> mass_{memory_}, potential_{memory_}, field_{memory_};
  DeviceBuffer<Vec3f> acceleration_{memory_};
  DeviceBuffer<unsigned long long> counts_{memory_};
  MeshOrder order_{memory_};
  DeviceMesh mesh_{memory_};
};

int run(std::size_t side, std::uint32_t cells) {
  if (!backend_or_null()) {
    std::puts("no CUDA device");
    return 77;
  }
  std::printf("%zu^3 particles, mesh of %u^3: milliseconds\n", side, cells);
  std::puts("                          order  deposit  1 field  all four fields");
  for (const bool clusters : {false, true}) {
    const std::string name = clusters ? "clustered" : "uniform";
    ParticleStore store = particles_of(side * side * side, clusters);
    Timed(store, cells).report((name + ", any order").c_str());
    sort_by_key(store, {{0, 0, 0}, 1});
    Timed(store, cells).report((name + ", key order").c_str());
  }
  return 0;
}

}  // namespace
}  // namespace multiwalk::device_test

int main(int count, char** word) try {
  const std::size_t side = count > 1 ? std::stoul(word[1]) : 256;
  const auto cells = static_cast<std::uint32_t>(count > 2 ? std::stoul(word[2]) : side);
  return multiwalk::device_test::run(side, cells);
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_device_mesh: %s\n", error.what());
  return 1;
}
