// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/kept_store.hpp"

#include <algorithm>
#include <utility>

#include "device/particles/step_kernels.cuh"
#include "device/tree/sort_particles.cuh"

namespace multiwalk {

namespace {

/// Particles that are put into the store's order at a time.
constexpr std::size_t piece = std::size_t{1} << 22;

}  // namespace

/// Evaluations so far needed peak() bytes at most; what is kept comes on top of that.
bool KeptStore::fits(std::size_t n) const {
  constexpr std::size_t each = sizeof(Vec3d) + 2 * sizeof(Vec3f) + sizeof(float) + 3 * sizeof(std::uint32_t);
  const DeviceMemory& memory = devices_.first().memory;
  const std::size_t all = memory.available() + memory.used();
  const std::size_t needed = n * each + std::min(n, piece) * sizeof(Vec3d);
  return needed <= all - std::min(all, memory.peak());
}

bool KeptStore::reserve(std::size_t n) {
  WalkDevice& device = devices_.first();
  StoreCopy& copy = device.tree.input();
  if (fits(n) && copy.reserve(n, true, device.stream) && copy.velocity.reserve(n, device.stream) &&
      copy.index.reserve(n, device.stream) && inverse_.reserve(n, device.stream) &&
      in_store_order_.reserve(std::min(n, piece) * sizeof(Vec3d), device.stream) &&
      parts_.reserve(1 + parts_of_kick(n), device.stream)) {
    return true;
  }
  release();
  return false;
}

void KeptStore::release() {
  const Stream& stream = devices_.first().stream;
  devices_.first().tree.input().release(stream);
  inverse_.release(stream);
  in_store_order_.release(stream);
  parts_.release(stream);
}

bool KeptStore::keep(ParticleStore& particles) {
  make_way_for(&particles);
  if (keeps(particles)) return true;
  const std::size_t n = particles.size();
  if (devices_.size() != 1 || n < least_on_device || n > UINT32_MAX - 1) return false;
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  if (!reserve(n)) return false;
  const auto upload = [&](const auto& from, auto&& member) {
    devices_.upload(
        std::span(from), [&](WalkDevice & d) -> auto& { return d.tree.input().*member; });
  };
  upload(particles.position, &StoreCopy::position);
  upload(particles.velocity, &StoreCopy::velocity);
  upload(particles.mass, &StoreCopy::mass);
  upload(particles.acceleration, &StoreCopy::acceleration);
  number_particles(device.tree.input().index.data(), n, device.stream);
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying the particles to the device");
  device.tree.input().kept = true;
  store_ = &particles;
  at_home_ = true;
  results_there_ = false;
  return true;
}

void KeptStore::kick_and_drift(double kick_factor, double background, double drift_factor) {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  multiwalk::kick_and_drift({device.tree.input(), store_->size()}, kick_factor, background, drift_factor,
                            device.stream);
  at_home_ = false;
}

KickSums KeptStore::kick_and_sum(double factor, double background) {
  require(results_there_, "the kept particles have no potentials");
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  multiwalk::kick_and_sum({device.tree.input(), store_->size()}, device.arrays.potential.data(), factor, background,
                          parts_.data(), device.stream);
  at_home_ = false;
  check_cuda(
      cudaMemcpyAsync(total_.reserve(1), parts_.data(), sizeof(KickSums), cudaMemcpyDeviceToHost, device.stream.get()),
      "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(device.stream.get()), "kicking the particles");
  return *total_.data();
}

template <class T, class Array>
void KeptStore::bring_home(const DeviceBuffer<T>& from, Array& to) {
  const Stream& stream = devices_.first().stream;
  T* const ordered = reinterpret_cast<T*>(in_store_order_.data());
  for (std::size_t first = 0; first < to.size(); first += piece) {
    const std::size_t count = std::min(piece, to.size() - first);
    gather(inverse_.data() + first, count, from.data(), ordered, stream);
    check_cuda(cudaMemcpyAsync(to.data() + first, ordered, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
               "cudaMemcpyAsync");
  }
}

void KeptStore::copy_home() {
  if (store_ == nullptr || at_home_) return;
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  const StoreCopy& kept = device.tree.input();
  invert_order(kept.index.data(), store_->size(), inverse_.data(), device.stream);
  bring_home(kept.position, store_->position);
  bring_home(kept.velocity, store_->velocity);
  bring_home(kept.acceleration, store_->acceleration);
  if (results_there_) bring_home(device.arrays.potential, store_->potential);
  if (results_there_) bring_home(device.arrays.work, store_->work);
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying the particles to the host");
  at_home_ = true;
}

void KeptStore::forget() noexcept {
  if (std::exchange(store_, nullptr) == nullptr) return;
  WalkDevice& device = devices_.first();
  device.tree.input().kept = false;
  cudaSetDevice(device.memory.device());
  cudaStreamSynchronize(device.stream.get());
  release();
}

void KeptStore::make_way_for(const ParticleStore* other) {
  if (store_ == nullptr || store_ == other) return;
  copy_home();
  forget();
}

void KeptStore::take_results() {
  WalkDevice& device = devices_.first();
  StoreCopy& kept = device.tree.input();
  ResidentArrays& arrays = device.arrays;
  device.memory.make_current();
  std::swap(kept.position, arrays.position);
  std::swap(kept.mass, arrays.mass);
  std::swap(kept.acceleration, arrays.acceleration);
  std::swap(kept.index, kept.next_index);
  gather(arrays.order.data(), store_->size(), kept.velocity.data(), arrays.acceleration.data(), device.stream);
  std::swap(kept.velocity, arrays.acceleration);
  results_there_ = true;
  at_home_ = false;
}

}  // namespace multiwalk
