// SPDX-License-Identifier: GPL-3.0-or-later
// Kept particles that may cross the light of an observer during a drift.
#include <algorithm>

#include "device/backends/kept_store.hpp"
#include "device/backends/sections.hpp"
#include "device/base/fetch.cuh"
#include "device/particles/passing.cuh"
#include "device/tree/sort_particles.cuh"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t passing_sections = 4;  // place on the device, index, position, velocity
constexpr std::size_t passing_bytes = 2 * sizeof(std::uint32_t) + sizeof(Vec3d) + sizeof(Vec3f);

/// More than this number of passing particles are not fetched: they would take too much host memory.
std::size_t most_passing(std::size_t n) {
  constexpr std::size_t little = std::size_t{1} << 30;  // bytes
  return std::max(n / 2, little / passing_bytes);
}

/// False: the host has no more memory that can be locked.
bool has_room(PinnedPassing& particles, std::size_t n) {
  try {
    particles.reserve(n);
    return true;
  } catch (const Error&) {
    cudaGetLastError();
    return false;
  }
}

}  // namespace

std::size_t KeptStore::mark_all_passing(const Passage& passage) {
  WalkDevice& device = devices_.first();
  const Stream& stream = device.stream;
  const StoreCopy& kept = device.tree.input();
  const std::size_t n = store_->size();
  check_cuda(cudaMemsetAsync(places(), 0xFF, n * sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  check_cuda(cudaMemsetAsync(stray_count_.data(), 0, sizeof(std::uint32_t), stream.get()), "cudaMemsetAsync");
  const std::span<const PassageCopy> copies(passage.copies);
  const std::size_t most = in_store_order_.capacity() / sizeof(PassageCopy);
  auto* const there = reinterpret_cast<PassageCopy*>(in_store_order_.data());
  for (std::size_t first = 0; first < copies.size(); first += most) {
    const auto piece = copies.subspan(first, std::min(most, copies.size() - first));
    check_cuda(cudaMemcpyAsync(there, piece.data(), piece.size_bytes(), cudaMemcpyHostToDevice, stream.get()),
               "cudaMemcpyAsync");
    mark_passing({kept.position.data(), kept.velocity.data(), kept.index.data(), n, passage.light, there,
                  static_cast<unsigned>(piece.size())},
                 places(), stray_count_.data(), stream);
  }
  return fetch(stray_count_.data(), stream);
}

std::size_t KeptStore::fetch_passing(std::size_t first, std::size_t count, std::size_t done) {
  WalkDevice& device = devices_.first();
  const Stream& stream = device.stream;
  const StoreCopy& kept = device.tree.input();
  Sections there(in_store_order_.data());
  auto* const chosen = there.next<std::uint32_t>(count);
  std::size_t bytes = searching_.capacity();
  check_cuda(select_passing(searching_.data(), bytes, {places() + first, count, chosen, stray_count_.data()}, stream),
             "CUB");
  const std::size_t found = fetch(stray_count_.data(), stream);
  if (found == 0) return 0;
  const auto bring = [&]<class T>(const DeviceBuffer<T>& from, const PinnedBuffer<T>& to) {
    T* const part = there.next<T>(count);
    gather(chosen, found, from.data(), part, stream);
    check_cuda(cudaMemcpyAsync(to.data() + done, part, found * sizeof(T), cudaMemcpyDeviceToHost, stream.get()),
               "cudaMemcpyAsync");
  };
  bring(kept.index, passing_->index);
  bring(kept.position, passing_->position);
  bring(kept.velocity, passing_->velocity);
  return found;
}

std::shared_ptr<const PassingParticles> KeptStore::find_passing(const Passage& passage) {
  require(store_ != nullptr, "no particles are kept");
  WalkDevice& device = devices_.first();
  device.memory.make_current();
  const std::size_t n = store_->size();
  const std::size_t piece = (in_store_order_.capacity() - passing_sections * Sections::alignment) / passing_bytes;
  std::size_t bytes = 0;
  check_cuda(select_passing(nullptr, bytes, {nullptr, piece, nullptr, nullptr}, device.stream), "CUB's working memory");
  if (!searching_.reserve_keeping(bytes + 1, 0, 0, device.stream)) return nullptr;
  const std::size_t passing = mark_all_passing(passage);
  if (passing > most_passing(n)) return nullptr;
  if (!passing_ || passing_.use_count() > 1) passing_ = std::make_shared<PinnedPassing>();
  if (!has_room(*passing_, passing)) {
    passing_.reset();
    return nullptr;
  }
  std::size_t done = 0;
  for (std::size_t first = 0; first < n && done < passing; first += piece) {
    done += fetch_passing(first, std::min(piece, n - first), done);
  }
  check_cuda(cudaStreamSynchronize(device.stream.get()), "copying particles to the host");
  return {passing_, &passing_->particles};
}

}  // namespace multiwalk
