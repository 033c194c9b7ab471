// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs per second of the CUDA kernels on the walks of a Plummer sphere (relative criterion, softening 0.01), all in
// one launch, and the host's time per walk. Fails if the forces on some targets are wrong. No device: says so and exits
// with 77.
#include <algorithm>
#include <cstdio>

#include "device/base/device_buffer.cuh"
#include "device/walk/walk_kernel.cuh"
#include "host/base/phase_timer.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/tree/acceptance.hpp"
#include "host/walk/group.hpp"
#include "host/walk/opening_radii.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr std::size_t particles = 4'000'000;
constexpr OpeningCriterion criterion{.mac = Mac::relative, .alpha = 0.006};

/// A Plummer sphere of mass and G 1 in virial units with its tree, walk records and accelerations.
struct Sphere {
  ParticleStore store = test::plummer(particles);
  Octree tree;
  WalkFamilies families;

  Sphere() {
    const Cube cube = enclosing_cube(bounding_box(store.position));
    sort_by_key(store, cube);
    tree = build_octree(store, cube, {16});
    constexpr double scale = 0.589;  // 3 pi / 16
    for (std::size_t i = 0; i < particles; ++i) {
      const Vec3d x = store.position[i];
      store.acceleration[i] = Vec3f(x * (-1 / std::pow(scale * scale + norm2(x), 1.5)));
    }
    const GravityOptions options{criterion};
    std::vector<float> radius;
    make_opening_radii(tree.view(), options, radius);
    families.make(tree.view(), radius, options, 1);
  }
};

/// All walks for groups of one size.
struct Walks {
  WalkBatch batch;
  double far = 0, near = 0, runs = 0;  ///< pairs
  double seconds = 0;                  ///< of one thread

  Walks(const Sphere& sphere, std::uint32_t group_size) {
    const TreeView tree = sphere.tree.view();
    const std::vector<Group> groups = make_groups(tree, group_size);
    const std::vector<double> smallest = smallest_accelerations(tree, groups, sphere.store.acceleration, 0);
    constexpr std::size_t capacity = 1 << 16;
    std::vector<std::uint32_t> cells(capacity), near_cells(capacity), expanded(capacity), leaves(capacity),
        families(capacity);
    std::vector<ParticleRange> ranges(capacity);
    const double begin = wall_time();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      ListBuffer list{cells.data(),  near_cells.data(), expanded.data(), ranges.data(),
                      leaves.data(), families.data(),   capacity};
      const Group& group = groups[g];
      const WalkQuery query{group.box.centre(), group.box.half_size(), criterion.scale(smallest[g]), group.first,
                            group.first + group.count};
      require(simd_kernels().walk(sphere.families.view(), query, list), "a list is too long for the bench");
      add(group, list);
    }
    seconds = wall_time() - begin;
  }

  void add(const Group& group, const ListBuffer& list) {
    Walk walk;
    walk.centre = group.box.centre();
    walk.target_first = walk.result_first = group.first;
    walk.target_count = group.count;
    walk.cell_first = static_cast<std::uint32_t>(batch.cells.size());
    walk.cell_count = static_cast<std::uint32_t>(list.cell_count);
    walk.range_first = static_cast<std::uint32_t>(batch.ranges.size());
    walk.range_count = static_cast<std::uint32_t>(list.range_count);
    walk.source_count = list.source_count;
    walk.far_count = static_cast<std::uint32_t>(list.far_count);
    batch.walks.push_back(walk);
    batch.cells.insert(batch.cells.end(), list.cells, list.cells + list.cell_count);
    batch.ranges.insert(batch.ranges.end(), list.ranges, list.ranges + list.range_count);
    far += double{1} * walk.target_count * walk.far_count;
    near += double{1} * walk.target_count * (walk.cell_count - walk.far_count);
    runs += double{1} * walk.target_count * walk.source_count;
  }
};

enum class Part { far_cells, near_cells, runs, all };

/// The walks with one part of their lists.
std::vector<Walk> part_of(const Walks& walks, Part part) {
  std::vector<Walk> some(walks.batch.walks.begin(), walks.batch.walks.end());
  for (Walk& walk : some) {
    if (part == Part::all) continue;
    if (part != Part::runs) walk.range_count = walk.source_count = 0;
    if (part == Part::far_cells) walk.cell_count = walk.far_count;
    if (part != Part::far_cells) {
      walk.cell_first += walk.far_count;
      walk.cell_count = part == Part::runs ? 0 : walk.cell_count - walk.far_count;
      walk.far_count = 0;
    }
  }
  return some;
}

/// Limits relative to the sum of magnitudes: single precision, and sums on tensor cores
/// (tests/device/test_far_cells.cpp).
constexpr double allowed_error = 3e-5;

/// Walks and sources on the device.
class Kernels {
 public:
  explicit Kernels(const Sphere& sphere) {
    prepare_walks();
    launch_.position = launch_.target_position = upload(position_, std::span(std::as_const(sphere.store.position)));
    launch_.mass = launch_.target_mass = upload(mass_, std::span(std::as_const(sphere.store.mass)));
    launch_.multipole = upload(multipole_, sphere.tree.view().multipole);
    launch_.softening2 = 1e-4F;
    require(result_.reserve(particles, stream_), "the device is full");
    launch_.result = result_.data();
  }

  /// Fastest of four launches.
  double seconds(const Walks& walks, Part part, bool quadrupole) {
    const std::vector<Walk> some = part_of(walks, part);
    launch_.walk = upload(walk_, std::span(some));
    launch_.walk_count = static_cast<std::uint32_t>(some.size());
    launch_.cell = upload(cell_, std::span(walks.batch.cells));
    launch_.range = upload(range_, std::span(walks.batch.ranges));
    launch_.quadrupole = quadrupole;
    double best = 1e30;
    for (int repeat = 0; repeat < 4; ++repeat) {
      begin_.record(stream_);
      if (part == Part::far_cells) {
        launch_far_cells(launch_, stream_.get());
      } else {
        launch_walks(launch_, stream_.get());
      }
      end_.record(stream_);
      end_.synchronize();
      best = std::min(best, end_.seconds_since(begin_));
    }
    return best;
  }

  /// The last launch's acceleration and potential of each particle.
  [[nodiscard]] std::vector<float4> results() {
    std::vector<float4> all(particles);
    check_cuda(
        cudaMemcpyAsync(all.data(), result_.data(), all.size() * sizeof(float4), cudaMemcpyDeviceToHost, stream_.get()),
        "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    return all;
  }

 private:
  template <class T>
  const T* upload(DeviceBuffer<T>& buffer, std::span<const T> data) {
    require(buffer.reserve(data.size() + 1, stream_), "the device is full");
    check_cuda(cudaMemcpyAsync(buffer.data(), data.data(), data.size_bytes(), cudaMemcpyHostToDevice, stream_.get()),
               "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    return buffer.data();
  }

  DeviceMemory memory_{0, 0};
  Stream stream_;
  Event begin_, end_;
  DeviceBuffer<Vec3d> position_{memory_};
  DeviceBuffer<float> mass_{memory_};
  DeviceBuffer<Multipole> multipole_{memory_};
  DeviceBuffer<Walk> walk_{memory_};
  DeviceBuffer<std::uint32_t> cell_{memory_};
  DeviceBuffer<ParticleRange> range_{memory_};
  DeviceBuffer<float4> result_{memory_};
  WalkLaunch launch_;
};

/// The same lists on the host, in double precision.
class Checked {
 public:
  explicit Checked(const Sphere& sphere) {
    problem_.position.assign(sphere.store.position.begin(), sphere.store.position.end());
    problem_.mass.assign(sphere.store.mass.begin(), sphere.store.mass.end());
    const std::span<const Multipole> multipole = sphere.tree.view().multipole;
    problem_.multipole.assign(multipole.begin(), multipole.end());
  }

  /// Throws Error if some results of whole walks are wrong.
  void check(const Walks& walks, const std::vector<float4>& results, bool quadrupole) {
    problem_.batch = walks.batch;
    const PairLaw law{1, 0.01, quadrupole ? MultipoleOrder::quadrupole : MultipoleOrder::monopole};
    Errors worst;
    for (std::size_t w = 0; w < walks.batch.walks.size(); w += walks.batch.walks.size() / 64) {
      const Walk& walk = walks.batch.walks[w];
      const std::uint32_t target = walk.target_first + walk.target_count / 2;
      const float4 found = results[target];
      record_error(worst, truth(problem_, walk, target, law, true), 1, Vec3d{found.x, found.y, found.z}, found.w);
    }
    if (worst.pull <= allowed_error && worst.potential <= allowed_error) return;
    throw Error("forces are wrong by " + std::to_string(worst.pull) + ", potentials by " +
                std::to_string(worst.potential));
  }

 private:
  Problem problem_;
};

void measure(const Walks& walks, Kernels& kernels, Checked& checked, bool quadrupole) {
  constexpr double n = static_cast<double>(particles);
  const auto rate = [&](double pairs, Part part) { return 1e-12 * pairs / kernels.seconds(walks, part, quadrupole); };
  const double groups = static_cast<double>(walks.batch.walks.size());
  std::printf("%5.0f %-10s %6.0f %6.0f %6.0f %8.3f %8.3f %8.3f %11.3g %9.1f\n", n / groups,
              quadrupole ? "quadrupole" : "monopole", walks.runs / n, walks.near / n, walks.far / n,
              rate(walks.runs, Part::runs), rate(walks.near, Part::near_cells), rate(walks.far, Part::far_cells),
              n / kernels.seconds(walks, Part::all, quadrupole), 1e6 * walks.seconds / groups);
  std::fflush(stdout);
  kernels.seconds(walks, Part::all, quadrupole);
  checked.check(walks, kernels.results(), quadrupole);
}

int run() {
  if (!backend_or_null()) {
    std::puts("no CUDA device");
    return 77;
  }
  const Sphere sphere;
  Kernels kernels(sphere);
  Checked checked(sphere);
  std::puts("mean                  pairs per particle        1e12 pairs/s             particles/s   us per walk");
  std::puts("group order        partic   near    far   partic     near      far    all kernels   on host");
  for (const std::uint32_t group_size : {128U, 256U, 512U, 1024U}) {
    const Walks walks(sphere, group_size);
    for (const bool quadrupole : {true, false}) measure(walks, kernels, checked, quadrupole);
  }
  return 0;
}

}  // namespace
}  // namespace multiwalk::device_test

int main() try { return multiwalk::device_test::run(); } catch (const std::exception& error) {
  std::fprintf(stderr, "bench_walk_kernels: %s\n", error.what());
  return 1;
}
