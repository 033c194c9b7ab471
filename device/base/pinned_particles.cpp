// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/pinned_particles.hpp"

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "host/base/particle_memory.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = std::size_t{4} << 10;
constexpr std::size_t most_kept = 4;  // blocks

/// A failure may mean that the driver has shut down before the last array: the memory is freed all the same.
struct Unlock {
  void operator()(std::byte* data) const noexcept {
    if (cudaHostUnregister(data) != cudaSuccess) cudaGetLastError();
    std::free(data);
  }
};

struct Block {
  std::unique_ptr<std::byte, Unlock> data;
  std::size_t bytes = 0;
};

/// The system maps pages one by one, so all threads touch them.
void touch_pages(std::byte* data, std::size_t bytes) {
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < bytes; b += page) data[b] = std::byte{0};
}

/// Empty if there is no memory, or none that may be locked.
Block lock_block(std::size_t bytes, int device) {
  bytes = (bytes + huge_page - 1) / huge_page * huge_page;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(huge_page, bytes));
  if (data == nullptr) return {};
  ::madvise(data, bytes, MADV_HUGEPAGE);
  touch_pages(data, bytes);
  // A thread that has not chosen a device would open a context on the first one.
  if (cudaSetDevice(device) == cudaSuccess && cudaHostRegister(data, bytes, cudaHostRegisterPortable) == cudaSuccess) {
    return {std::unique_ptr<std::byte, Unlock>(data), bytes};
  }
  cudaGetLastError();
  std::free(data);
  return {};
}

/// Locking costs about 0.3 s per GB, so a few freed blocks are kept for arrays of nearly their size.
class PinnedParticles final : public ParticleMemory {
 public:
  explicit PinnedParticles(int device) : device_(device) { kept_.reserve(most_kept + 1); }

  void* allocate(std::size_t bytes) noexcept override;
  bool deallocate(void* data) noexcept override;

 private:
  Block take_kept(std::size_t bytes);
  void release_oldest();

  int device_;
  std::mutex mutex_;
  std::map<void*, Block> used_;
  std::vector<Block> kept_;  ///< oldest first
  std::size_t used_bytes_ = 0, kept_bytes_ = 0;
};

void* PinnedParticles::allocate(std::size_t bytes) noexcept try {
  const std::lock_guard lock(mutex_);
  Block block = take_kept(bytes);
  if (!block.data) block = lock_block(bytes, device_);
  if (!block.data) return nullptr;
  void* data = block.data.get();
  const std::size_t size = block.bytes;
  used_.emplace(data, std::move(block));
  used_bytes_ += size;
  return data;
} catch (...) {
  return nullptr;
}

/// At most most_kept blocks are kept, which together hold at most a quarter of the bytes in use.
bool PinnedParticles::deallocate(void* data) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(data);
  if (found == used_.end()) return false;
  used_bytes_ -= found->second.bytes;
  kept_bytes_ += found->second.bytes;
  kept_.push_back(std::move(found->second));
  used_.erase(found);
  while (kept_.size() > most_kept || kept_bytes_ > used_bytes_ / 4) release_oldest();
  return true;
}

Block PinnedParticles::take_kept(std::size_t bytes) {
  const auto fits = [&](const Block& b) { return b.bytes >= bytes && b.bytes <= bytes + bytes / 4 + huge_page; };
  const auto found = std::ranges::find_if(kept_, fits);
  if (found == kept_.end()) return {};
  Block block = std::move(*found);
  kept_.erase(found);
  kept_bytes_ -= block.bytes;
  return block;
}

void PinnedParticles::release_oldest() {
  kept_bytes_ -= kept_.front().bytes;
  kept_.erase(kept_.begin());
}

}  // namespace

void pin_particles(int device) {
  // Never destroyed: arrays may outlive every other object.
  static PinnedParticles* const memory = [&] {
    auto* made = new PinnedParticles(device);
    use_particle_memory(*made);
    return made;
  }();
  static_cast<void>(memory);
}

}  // namespace multiwalk
