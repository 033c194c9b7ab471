// Pairs per second of the CUDA kernels on the walks of real trees, each kernel alone in one launch. No device: says so
// and exits with 77.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "device/device_buffer.cuh"
#include "device/walk_kernel.cuh"
#include "host/base/phase_timer.hpp"
#include "host/force/simd/simd_kernels.hpp"
#include "host/tree/acceptance.hpp"
#include "host/walk/group.hpp"
#include "host/walk/opening_radii.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

struct Walks {
  ParticleStore store;
  Octree tree;
  WalkBatch batch;
  double targets = 0, far = 0, near = 0, particles = 0, cells = 0, milliseconds = 0;

  Walks(std::size_t n, std::uint32_t group_size, std::uint32_t leaf_size, const GravityOptions& options) : store(test::plummer(n)) {
    const Cube cube = enclosing_cube(bounding_box(store.position));
    sort_by_key(store, cube);
    tree = build_octree(store, cube, {leaf_size});
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3d x = store.position[i];
      store.acceleration[i] = Vec3f(x * (-1 / std::pow(0.347 + norm2(x), 1.5)));
    }
    const auto groups = make_groups(tree.view(), group_size);
    const auto smallest = smallest_accelerations(tree.view(), groups, store.acceleration, 0);
    std::vector<float> radius;
    make_opening_radii(tree.view(), options, radius);
    WalkFamilies families;
    families.make(tree.view(), radius, options.mac, 1);
    const std::size_t capacity = 1 << 16;
    std::vector<std::uint32_t> a(capacity), b(capacity), c(capacity), d(capacity);
    std::vector<ParticleRange> r(capacity);
    const double begin = wall_time();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Group& group = groups[g];
      const double scale = options.mac == Mac::relative ? relative_scale(options.alpha, smallest[g]) : 0;
      ListBuffer list{a.data(), b.data(), r.data(), c.data(), d.data(), capacity};
      const WalkQuery query{group.box.centre(), group.box.half_size(), scale, group.first, group.first + group.count};
      if (!simd_kernels().walk(families.view(), query, list)) std::abort();
      Walk walk{group.box.centre(), group.first, group.count, static_cast<std::uint32_t>(batch.cells.size()),
                static_cast<std::uint32_t>(list.cell_count), static_cast<std::uint32_t>(batch.ranges.size()),
                static_cast<std::uint32_t>(list.range_count), list.source_count, static_cast<std::uint32_t>(list.far_count), group.first};
      batch.walks.push_back(walk);
      batch.cells.insert(batch.cells.end(), list.cells, list.cells + list.cell_count);
      batch.ranges.insert(batch.ranges.end(), list.ranges, list.ranges + list.range_count);
      const double t = group.count;
      targets += t;
      far += t * static_cast<double>(list.far_count);
      near += t * static_cast<double>(list.cell_count - list.far_count);
      particles += t * list.source_count;
      cells += static_cast<double>(list.cell_count);
    }
    milliseconds = 1e3 * (wall_time() - begin);
  }
};

template <class T>
const T* upload(DeviceBuffer<T>& buffer, std::span<const T> data, const Stream& stream) {
  if (!buffer.reserve(data.size() + 1, stream)) std::abort();
  check_cuda(cudaMemcpyAsync(buffer.data(), data.data(), data.size_bytes(), cudaMemcpyHostToDevice, stream.get()), "copy");
  return buffer.data();
}

template <class Act>
double seconds(const Stream& stream, const Act& act) {
  double best = 1e30;
  for (int repeat = 0; repeat < 4; ++repeat) {
    Event begin, end;
    begin.record(stream);
    act();
    end.record(stream);
    end.synchronize();
    best = std::min(best, end.seconds_since(begin));
  }
  return best;
}

void measure(std::size_t n, std::uint32_t group_size, std::uint32_t leaf_size, const GravityOptions& options) {
  const Walks w(n, group_size, leaf_size, options);
  DeviceMemory memory(0, 0);
  prepare_walks();
  Stream stream;
  DeviceBuffer<Vec3d> position(memory);
  DeviceBuffer<float> mass(memory);
  DeviceBuffer<Multipole> multipole(memory);
  DeviceBuffer<Walk> walk(memory);
  DeviceBuffer<std::uint32_t> cell(memory);
  DeviceBuffer<ParticleRange> range(memory);
  DeviceBuffer<float4> result(memory);
  WalkLaunch launch;
  launch.position = launch.target_position = upload(position, std::span<const Vec3d>(w.store.position), stream);
  launch.mass = launch.target_mass = upload(mass, std::span<const float>(w.store.mass), stream);
  launch.multipole = upload(multipole, w.tree.view().multipole, stream);
  launch.cell = upload(cell, std::span<const std::uint32_t>(w.batch.cells), stream);
  launch.range = upload(range, std::span<const ParticleRange>(w.batch.ranges), stream);
  launch.walk_count = static_cast<std::uint32_t>(w.batch.walks.size());
  launch.softening2 = 1e-4F;
  if (!result.reserve(n, stream)) std::abort();
  launch.result = result.data();
  launch.quadrupole = options.multipole == MultipoleOrder::quadrupole;
  const auto time_of = [&](bool far, bool near, bool particles) {
    std::vector<Walk> some(w.batch.walks.begin(), w.batch.walks.end());
    for (Walk& x : some) {
      if (!near) x.cell_count = x.far_count;
      if (!far) x.cell_first += x.far_count, x.cell_count -= x.far_count, x.far_count = 0;
      if (!particles) x.range_count = x.source_count = 0;
    }
    launch.walk = upload(walk, std::span<const Walk>(some), stream);
    check_cuda(cudaStreamSynchronize(stream.get()), "wait");
    return seconds(stream, [&] {
      if (near || particles) launch_walks(launch, stream.get());
      else launch_far_cells(launch, stream.get());
    });
  };
  const double tf = time_of(true, false, false), tn = time_of(false, true, false), tp = time_of(false, false, true), all = time_of(true, true, true), none = time_of(false, false, false), nothing=time_of(false,true,true);
  const double N = static_cast<double>(n);
  std::printf("n %.0e group %u mean %.0f leaf %u list %.0f far %.0f near %.0f part %.0f | far %.2f ms %.3fe12  near %.2f ms %.3fe12  part %.2f ms %.3fe12  near+part %.2f none %.2f all %.2f ms = %.3g/s; host walks %.1f ms %.2f us\n", N,
              group_size, N / static_cast<double>(w.batch.walks.size()), leaf_size, w.cells / static_cast<double>(w.batch.walks.size()), w.far / N, w.near / N, w.particles / N, 1e3 * tf, 1e-12 * w.far / tf,
              1e3 * tn, 1e-12 * w.near / tn, 1e3 * tp, 1e-12 * w.particles / tp, 1e3 * nothing, 1e3 * none, 1e3 * all, N / all, w.milliseconds, 1e3*w.milliseconds/static_cast<double>(w.batch.walks.size()));
  std::fflush(stdout);
}

}  // namespace
}  // namespace multiwalk::device_test

int main(int argc, char** argv) {
  using namespace multiwalk;
  GravityOptions options;
  options.mac = Mac::relative;
  options.alpha = argc > 2 ? std::atof(argv[2]) : 0.006;
  const std::size_t n = argc > 1 ? static_cast<std::size_t>(std::atof(argv[1])) : 4000000;
  for (const std::uint32_t leaf : {16U})
    for (const std::uint32_t group : {256U, 384U, 512U, 1024U}) device_test::measure(n, group, leaf, options);
  options.multipole = MultipoleOrder::monopole;
  device_test::measure(n, 512, 16, options);
  return 0;
}
