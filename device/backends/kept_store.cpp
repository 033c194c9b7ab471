// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/kept_store.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "device/particles/step_kernels.cuh"
#include "device/tree/sort_particles.cuh"
#include "host/time/step_control.hpp"

namespace multiwalk {

namespace {

/// Particles that are put into the store's order at a time.
constexpr std::size_t piece = std::size_t{1} << 22;

/// Enqueues a motion.
struct MotionOnDevice {
  RungArrays kept;
  const Stream& stream;

  void operator()(const KickAndDrift& by) const { kick_and_drift(kept, by.kick, by.background, by.drift, stream); }
  void operator()(const DriftAlone& by) const { drift(kept, by.factor, stream); }
  void operator()(const WrapIntoBox& into) const { wrap(kept, into.side, stream); }
  void operator()(const KickRungs& by) const {
    RungFactors factors{};
    std::ranges::copy(by.factor, factors.of);
    kick_rungs(kept, factors, by.background, by.least, stream);
  }
  void operator()(const KickLongRange& by) const { kick_long_range(kept, by.factor, stream); }
};

}  // namespace

std::size_t KeptStore::bytes_in_order(std::size_t n) {
  return std::min(n, piece) * sizeof(Vec3d);
}

std::size_t KeptStore::bytes(std::size_t n, bool rungs) {
  const std::size_t each = sizeof(Vec3d) + 2 * sizeof(Vec3f) + sizeof(float) + 2 * sizeof(std::uint32_t) +
                           (rungs ? sizeof(Vec3f) + 2 * sizeof(std::uint8_t) : 0);
  return n * each + bytes_in_order(n);
}

/// Evaluations so far needed at most peak() bytes, which include either everything that was kept or, if nothing was,
/// copies of the host's positions, masses and accelerations. What is to be kept now is added to the rest.
bool KeptStore::fits(std::size_t n, bool rungs) const {
  const DeviceMemory& memory = devices_.first().memory;
  const std::size_t all = memory.available() + memory.used();
  const std::size_t copies = n * (sizeof(Vec3d) + sizeof(float) + sizeof(Vec3f));
  const std::size_t evaluation = memory.peak() - std::min(memory.peak(), std::max(kept_bytes_, copies));
  return bytes(n, rungs) <= all - std::min(all, evaluation);
}

bool KeptStore::reserve(std::size_t n, bool rungs) {
  const Stream& stream = devices_.first().stream;
  StoreCopy& copy = devices_.first().tree.input();
  const std::size_t room = fits(n + copy.spare, rungs) ? n + copy.spare : n;
  const bool rungs_fit = !rungs || (copy.long_range.reserve(room, stream) && copy.rung.reserve(room, stream) &&
                                    copy.next_rung.reserve(room, stream) && counts_.reserve(1, stream));
  if (rungs_fit && fits(n, rungs) && copy.reserve(room, true, stream) && copy.velocity.reserve(room, stream) &&
      copy.index.reserve(room, stream) && copy.next_index.reserve(room, stream) &&
      in_store_order_.reserve(bytes_in_order(room), stream) && parts_.reserve(1 + parts_of_kick(room), stream) &&
      reserve_search(room)) {
    kept_bytes_ = std::max(kept_bytes_, bytes(n, rungs));
    return true;
  }
  release();
  return false;
}

void KeptStore::release() {
  const Stream& stream = devices_.first().stream;
  devices_.first().tree.input().release(stream);
  in_store_order_.release(stream);
  parts_.release(stream);
  counts_.release(stream);
  searching_.release(stream);
  sorting_.release(stream);
  stray_count_.release(stream);
  cuts_.release(stream);
}

void KeptStore::upload(const ParticleStore& particles) {
  const auto send = [&](const auto& from, auto&& member) {
    devices_.upload(
        std::span(from), [&](WalkDevice & d) -> auto& { return d.tree.input().*member; });
  };
  send(particles.position, &StoreCopy::position);
  send(particles.velocity, &StoreCopy::velocity);
  send(particles.mass, &StoreCopy::mass);
  send(particles.acceleration, &StoreCopy::acceleration);
  if (!particles.has_rungs()) return;
  send(particles.long_range, &StoreCopy::long_range);
  send(particles.rung, &StoreCopy::rung);
}

bool KeptStore::keep(ParticleStore& particles) {
  make_way_for(&particles);
  if (keeps(particles)) return true;
  const std::size_t n = particles.size();
  if (devices_.size() != 1 || n < least_on_device || n > UINT32_MAX - 1) return false;
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  device.arrays.release(device.stream);
  if (!reserve(n, particles.has_rungs())) return false;
  upload(particles);
  number_particles(device.tree.input().index.data(), n, device.stream);
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying the particles to the device");
  device.tree.input().kept = true;
  device.tree.input().rungs = particles.has_rungs();
  store_ = &particles;
  at_home_ = true;
  results_there_ = false;
  return true;
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

RungArrays KeptStore::moving() {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  at_home_ = false;
  return {device.tree.input(), store_->size()};
}

void KeptStore::move(const Motion& motion) {
  std::visit(MotionOnDevice{moving(), devices_.first().stream}, motion);
}

PerRung<std::uint64_t> KeptStore::assign_rungs(const RungCriterion& criterion, double background, int synchronised) {
  const RungArrays kept = moving();
  const Stream& stream = devices_.first().stream;
  check_cuda(cudaMemsetAsync(counts_.data(), 0, sizeof(RungCounts), stream.get()), "cudaMemsetAsync");
  multiwalk::assign_rungs(kept, criterion, background, synchronised, counts_.data(), stream);
  check_cuda(
      cudaMemcpyAsync(counted_.reserve(1), counts_.data(), sizeof(RungCounts), cudaMemcpyDeviceToHost, stream.get()),
      "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "assigning rungs");
  const RungCounts& counted = *counted_.data();
  if (counted.not_finite > 0) require_finite_acceleration(std::numeric_limits<double>::infinity());
  PerRung<std::uint64_t> result;
  std::ranges::copy(counted.on, result.begin());
  return result;
}

bool KeptStore::add_mesh_force(const PairLaw& law, const MeshForceOptions& options, TreeExchange* others) {
  require(results_there_, "the kept particles have no forces of pairs");
  const RungArrays kept = moving();
  WalkDevice& device = devices_.first();
  const StoreCopy& copy = device.tree.input();
  device.release_between_walks();
  return device.mesh.add({kept.position, copy.mass.data(), kept.n}, law, options,
                         {copy.acceleration.data(), device.arrays.potential.data(), copy.long_range.data()}, others,
                         device.stream);
}

std::optional<ShellSums> KeptStore::sum_shells(double box_size, const ShellOptions& options, TreeExchange* others) {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  const StoreCopy& kept = device.tree.input();
  device.release_between_walks();
  return device.spectrum({kept.position.data(), kept.mass.data(), store_->size()}, box_size, options, others,
                         device.stream);
}

template <class T, class Array>
void KeptStore::bring_home(const DeviceBuffer<T>& from, std::size_t n, Array& to) {
  const Stream& stream = devices_.first().stream;
  T* const ordered = reinterpret_cast<T*>(in_store_order_.data());
  for (std::size_t first = 0; first < n; first += piece) {
    const std::size_t count = std::min(piece, n - first);
    gather(places() + first, count, from.data(), ordered, stream);
    check_cuda(cudaMemcpyAsync(to.data() + first, ordered, count * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
               "cudaMemcpyAsync");
  }
}

void KeptStore::copy_first_home(std::size_t n) {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  invert_order(device.tree.input().index.data(), n, places(), device.stream);
  for_each_changing([&](const auto& from, auto& to) { bring_home(from, n, to); });
  if (results_there_) bring_home(device.arrays.potential, n, store_->potential);
  if (results_there_) bring_home(device.arrays.work, n, store_->work);
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying the particles to the host");
}

void KeptStore::copy_home(Copied what) {
  if (store_ == nullptr || at_home_) return;
  if (what == Copied::motion) return copy_motion_home(store_->size());
  copy_first_home(store_->size());
  at_home_ = true;
}

void KeptStore::copy_motion_home(std::size_t n) {
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  invert_order(device.tree.input().index.data(), n, places(), device.stream);
  bring_home(device.tree.input().position, n, store_->position);
  bring_home(device.tree.input().velocity, n, store_->velocity);
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying the particles' motion to the host");
}

void KeptStore::forget() noexcept {
  if (std::exchange(store_, nullptr) == nullptr) return;
  WalkDevice& device = devices_.first();
  StoreCopy& kept = device.tree.input();
  kept.kept = kept.rungs = kept.grown = false;
  cudaSetDevice(device.memory.device());
  cudaStreamSynchronize(device.stream.get());
  release();
}

void KeptStore::make_way_for(const ParticleStore* other) {
  if (store_ == nullptr || store_ == other) return;
  copy_home(Copied::all);
  forget();
}

void KeptStore::leave_arrays() {
  if (store_ == nullptr) return;
  copy_home(Copied::all);
  WalkDevice& device = devices_.first();
  std::swap(device.tree.input().position, device.arrays.position);
  std::swap(device.tree.input().mass, device.arrays.mass);
  forget();
}

void KeptStore::take_results() {
  results_there_ = true;
  at_home_ = false;
}

}  // namespace multiwalk
