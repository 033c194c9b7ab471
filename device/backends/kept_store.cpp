// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/kept_store.hpp"

#include <utility>

#include "device/particles/step_kernels.cuh"

namespace multiwalk {

/// Evaluations so far needed peak() bytes at most; what is kept comes on top of that.
bool KeptStore::fits(std::size_t n) const {
  constexpr std::size_t each = sizeof(Vec3d) + 2 * sizeof(Vec3f) + sizeof(float);
  const DeviceMemory& memory = devices_.first().memory;
  const std::size_t all = memory.available() + memory.used();
  return n * each <= all - std::min(all, memory.peak());
}

bool KeptStore::reserve(std::size_t n) {
  WalkDevice& device = devices_.first();
  StoreCopy& copy = device.tree.input();
  if (fits(n) && copy.reserve(n, true, device.stream) && copy.velocity.reserve(n, device.stream) &&
      parts_.reserve(1 + parts_of_kick(n), device.stream)) {
    return true;
  }
  copy.release(device.stream);
  return false;
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
  multiwalk::kick_and_drift(device.tree.input(), store_->size(), kick_factor, background, drift_factor, device.stream);
  at_home_ = false;
}

KickSums KeptStore::kick_and_sum(double factor, double background) {
  require(results_there_, "the kept particles have no potentials");
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  multiwalk::kick_and_sum(device.tree.input(), device.arrays.potential.data(), store_->size(), factor, background,
                          parts_.data(), device.stream);
  at_home_ = false;
  check_cuda(
      cudaMemcpyAsync(total_.reserve(1), parts_.data(), sizeof(KickSums), cudaMemcpyDeviceToHost, device.stream.get()),
      "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(device.stream.get()), "kicking the particles");
  return *total_.data();
}

void KeptStore::copy_home() {
  if (store_ == nullptr || at_home_) return;
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  const auto copy = [&](auto& to, const auto& from) {
    check_cuda(
        cudaMemcpyAsync(to.data(), from.data(), to.size() * sizeof to[0], cudaMemcpyDeviceToHost, device.stream.get()),
        "cudaMemcpyAsync");
  };
  const StoreCopy& kept = device.tree.input();
  copy(store_->position, kept.position);
  copy(store_->velocity, kept.velocity);
  copy(store_->acceleration, kept.acceleration);
  if (results_there_) copy(store_->potential, device.arrays.potential);
  if (results_there_ && work_counted_) copy(store_->work, device.arrays.work);
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying the particles to the host");
  at_home_ = true;
}

void KeptStore::forget() noexcept {
  if (std::exchange(store_, nullptr) == nullptr) return;
  WalkDevice& device = devices_.first();
  device.tree.input().kept = false;
  cudaSetDevice(device.memory.device());
  cudaStreamSynchronize(device.stream.get());
  device.tree.input().release(device.stream);
}

void KeptStore::make_way_for(const ParticleStore* other) {
  if (store_ == nullptr || store_ == other) return;
  copy_home();
  forget();
}

void KeptStore::take_results(bool work_counted) {
  WalkDevice& device = devices_.first();
  std::swap(device.tree.input().acceleration, device.arrays.acceleration);
  results_there_ = true;
  work_counted_ = work_counted;
  at_home_ = false;
}

}  // namespace multiwalk
