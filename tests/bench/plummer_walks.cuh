// SPDX-License-Identifier: GPL-3.0-or-later
// The walks of a Plummer sphere (relative criterion, softening 0.01) on a device, for benches of the kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

inline constexpr std::size_t particles = 4'000'000;
inline constexpr OpeningCriterion criterion{.mac = Mac::relative, .alpha = 0.006};

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
      store.acceleration[i] = static_cast<Vec3f>(x * (-1 / std::pow(scale * scale + norm2(x), 1.5)));
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

/// Walks and sources on the device.
class SphereOnDevice {
 public:
  explicit SphereOnDevice(const Sphere& sphere) {
    prepare_walks();
    launch.position = launch.target_position = upload(position_, std::span(std::as_const(sphere.store.position)));
    launch.mass = launch.target_mass = upload(mass_, std::span(std::as_const(sphere.store.mass)));
    launch.multipole = upload(multipole_, sphere.tree.view().multipole);
    launch.softening2 = 1e-4F;
    require(result_.reserve(particles, stream), "the device is full");
    launch.result = result_.data();
  }

  /// Lets launches evaluate these walks, whose lists are those of `batch`.
  void take(std::span<const Walk> walks, const WalkBatch& batch) {
    launch.walk = upload(walk_, walks);
    launch.walk_count = static_cast<std::uint32_t>(walks.size());
    launch.cell = upload(cell_, std::span(batch.cells));
    launch.range = upload(range_, std::span(batch.ranges));
  }

  /// The shortest time of four acts, which enqueue their work in `stream`.
  template <class Act>
  double seconds(const Act& act) {
    double best = 1e30;
    for (int repeat = 0; repeat < 4; ++repeat) {
      begin_.record(stream);
      act();
      end_.record(stream);
      end_.synchronize();
      best = std::min(best, end_.seconds_since(begin_));
    }
    return best;
  }

  /// Throws Error if some results of these walks are wrong. Limits are relative to the sum of magnitudes: single
  /// precision, and sums on tensor cores (tests/device/test_far_cells.cpp).
  void check(const Sphere& sphere, const WalkBatch& batch) const {
    constexpr double allowed_error = 3e-5;
    std::vector<float4> results(particles);
    check_cuda(cudaMemcpyAsync(results.data(), result_.data(), results.size() * sizeof(float4), cudaMemcpyDeviceToHost,
                               stream.get()),
               "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    Problem problem;
    problem.position.assign(sphere.store.position.begin(), sphere.store.position.end());
    problem.mass.assign(sphere.store.mass.begin(), sphere.store.mass.end());
    const std::span<const Multipole> multipole = sphere.tree.view().multipole;
    problem.multipole.assign(multipole.begin(), multipole.end());
    problem.batch = batch;
    const PairLaw law{1, 0.01, launch.quadrupole ? MultipoleOrder::quadrupole : MultipoleOrder::monopole};
    Errors worst;
    for (std::size_t w = 0; w < batch.walks.size(); w += batch.walks.size() / 64) {
      const Walk& walk = batch.walks[w];
      const std::uint32_t target = walk.target_first + walk.target_count / 2;
      const float4 found = results[target];
      record_error(worst, truth(problem, walk, target, law, false), 1, Vec3d{found.x, found.y, found.z}, found.w);
    }
    if (worst.pull <= allowed_error && worst.potential <= allowed_error) return;
    throw Error("forces are wrong by " + std::to_string(worst.pull) + ", potentials by " +
                std::to_string(worst.potential));
  }

  WalkLaunch launch;
  Stream stream;

 private:
  template <class T>
  const T* upload(DeviceBuffer<T>& buffer, std::span<const T> data) {
    require(buffer.reserve(data.size() + 1, stream), "the device is full");
    check_cuda(cudaMemcpyAsync(buffer.data(), data.data(), data.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
               "cudaMemcpyAsync");
    check_cuda(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    return buffer.data();
  }

  DeviceMemory memory_{0, 0};
  Event begin_, end_;
  DeviceBuffer<Vec3d> position_{memory_};
  DeviceBuffer<float> mass_{memory_};
  DeviceBuffer<Multipole> multipole_{memory_};
  DeviceBuffer<Walk> walk_{memory_};
  DeviceBuffer<std::uint32_t> cell_{memory_};
  DeviceBuffer<ParticleRange> range_{memory_};
  DeviceBuffer<float4> result_{memory_};
};

}  // namespace multiwalk::device_test
