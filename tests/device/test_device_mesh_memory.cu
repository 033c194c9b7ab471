// SPDX-License-Identifier: GPL-3.0-or-later
// The mesh force for particles in device memory: the same bits as for a store, whatever the particles' order.
#include <algorithm>
#include <numeric>
#include <random>

#include "device/mesh/device_mesh.cuh"
#include "host/force/backend_services.hpp"
#include "host/tree/octree.hpp"
#include "tests/device/mesh_cases.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk::device_test {
namespace {

/// Particles and results in memory of device 0, to which the mesh adds.
class DeviceParticles {
 public:
  explicit DeviceParticles(const ParticleStore& store, std::size_t limit = 0) : memory_(0, limit), n_(store.size()) {
    upload(position_, store.position.data());
    upload(mass_, store.mass.data());
    upload(acceleration_, store.acceleration.data());
    upload(potential_, store.potential.data());
    require(change_.reserve(n_, stream_), "the device is full");
  }

  bool add(const PairLaw& law, const MeshForceOptions& options) {
    return mesh_.add({position_.data(), mass_.data(), n_}, law, options,
                     {acceleration_.data(), potential_.data(), change_.data()}, nullptr, stream_);
  }
  MeshForces forces() { return {fetch(acceleration_), fetch(potential_)}; }
  std::vector<Vec3f> change() { return fetch(change_); }

 private:
  template <class T>
  void upload(DeviceBuffer<T>& buffer, const T* from) {
    require(buffer.reserve(n_, stream_), "the device is full");
    check_cuda(cudaMemcpyAsync(buffer.data(), from, n_ * sizeof(T), cudaMemcpyHostToDevice, stream_.get()), "a copy");
  }
  template <class T>
  std::vector<T> fetch(const DeviceBuffer<T>& buffer) {
    std::vector<T> values(n_);
    check_cuda(cudaMemcpyAsync(values.data(), buffer.data(), n_ * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()),
               "a copy");
    check_cuda(cudaStreamSynchronize(stream_.get()), "a copy");
    return values;
  }

  DeviceMemory memory_;
  Stream stream_;
  DeviceBuffer<Vec3d> position_{memory_};
  DeviceBuffer<float> mass_{memory_}, potential_{memory_};
  DeviceBuffer<Vec3f> acceleration_{memory_}, change_{memory_};
  DeviceMesh mesh_{memory_};
  std::size_t n_;
};

/// Of particles in device memory whose results were 0, by their ids (0 to N - 1).
MeshForces forces_by_id(ParticleStore store, const PairLaw& law, const MeshForceOptions& options) {
  std::ranges::fill(store.acceleration, Vec3f{});
  std::ranges::fill(store.potential, 0.0F);
  DeviceParticles particles(store);
  require(particles.add(law, options), "the device cannot");
  const MeshForces found = particles.forces();
  MeshForces sorted = found;
  for (std::size_t i = 0; i < store.size(); ++i) {
    sorted.acceleration[store.id[i]] = found.acceleration[i];
    sorted.potential[store.id[i]] = found.potential[i];
  }
  return sorted;
}

ParticleStore shuffled(const ParticleStore& store) {
  std::vector<std::size_t> order(store.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(3));
  ParticleStore other = store;
  for (std::size_t i = 0; i < order.size(); ++i) {
    other.position[i] = store.position[order[i]];
    other.mass[i] = store.mass[order[i]];
    other.id[i] = store.id[order[i]];
  }
  return other;
}

class MeshInDeviceMemory : public testing::TestWithParam<MeshForceOptions> {};

TEST_P(MeshInDeviceMemory, IsTheSameForAStoreAndInDeviceMemory) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const MeshForceOptions options = GetParam();
  const PairLaw law = law_of(options.split_scale);
  for (const std::size_t n : {1, 33, 20000}) {
    ParticleStore store = clustered(n);
    for (std::size_t i = 0; i < n; ++i) {
      store.acceleration[i] = {static_cast<float>(i % 5), -2, 0.3F};
      store.potential[i] = static_cast<float>(i % 3);
    }
    DeviceParticles particles(store);
    const std::vector<Vec3f> old(store.acceleration.begin(), store.acceleration.end());
    ASSERT_TRUE(particles.add(law, options) && cuda->mesh()->add_mesh_force(store, law, options, nullptr));
    const MeshForces found = particles.forces();
    const std::vector<Vec3f> change = particles.change();
    EXPECT_EQ(found.acceleration, std::vector<Vec3f>(store.acceleration.begin(), store.acceleration.end()));
    EXPECT_EQ(found.potential, std::vector<float>(store.potential.begin(), store.potential.end()));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(change[i], found.acceleration[i] - old[i]);
  }
}

TEST_P(MeshInDeviceMemory, DoesNotDependOnTheOrderOfParticles) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  const MeshForceOptions options = GetParam();
  const PairLaw law = law_of(options.split_scale);
  const ParticleStore store = clustered(50000);
  ParticleStore in_key_order = store;
  sort_by_key(in_key_order, enclosing_cube(bounding_box(store.position)));
  const MeshForces found = forces_by_id(store, law, options);
  for (const ParticleStore& other : {shuffled(store), in_key_order}) {
    const MeshForces again = forces_by_id(other, law, options);
    EXPECT_EQ(found.acceleration, again.acceleration);
    EXPECT_EQ(found.potential, again.potential);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeshInDeviceMemory, testing::ValuesIn(mesh_cases));

TEST(MeshMemory, AddsNothingWithoutRoom) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  ParticleStore store = clustered(1000);
  std::ranges::fill(store.acceleration, Vec3f{7, 7, 7});
  std::ranges::fill(store.potential, 5.0F);
  DeviceParticles particles(store, 8 << 20);
  EXPECT_FALSE(particles.add(law_of(0.1), {128, 0.1}));
  EXPECT_EQ(particles.forces().acceleration, std::vector<Vec3f>(store.size(), Vec3f{7, 7, 7}));
  EXPECT_EQ(particles.forces().potential, std::vector<float>(store.size(), 5.0F));
  EXPECT_TRUE(particles.add(law_of(0.1), {64, 0.1}));
}

/// A heavy particle at a face of the box, in one piece or in many of together its mass, and light ones everywhere.
ParticleStore heavy_and_light(std::size_t pieces, std::size_t light) {
  ParticleStore store = test::uniform_cube(light, 8);
  for (std::size_t i = 0; i < light; ++i) {
    store.position[i] = mesh_side * store.position[i];
    store.mass[i] = 1e-6F;
  }
  store.resize(light + pieces);
  for (std::size_t i = light; i < light + pieces; ++i) {
    store.position[i] = {mesh_side - 1e-3, 1.234, 1e-3};
    store.mass[i] = 1.0F / static_cast<float>(pieces);
    store.id[i] = i;
  }
  return store;
}

TEST(MeshMemory, ManyParticlesOfOneCellActAsOne) {
  if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  constexpr std::size_t light = 1000;
  const MeshForceOptions options{32, 0.15};
  const MeshForces one = forces_by_id(heavy_and_light(1, light), law_of(0.15), options);
  const MeshForces many = forces_by_id(heavy_and_light(std::size_t{1} << 18, light), law_of(0.15), options);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < light; ++i) {
    const auto a = static_cast<Vec3d>(one.acceleration[i]);
    worst = larger_error(worst, norm(a - static_cast<Vec3d>(many.acceleration[i])));
    largest = std::max(largest, norm(a));
  }
  EXPECT_LT(worst, 1e-6 * largest);
}

}  // namespace
}  // namespace multiwalk::device_test
