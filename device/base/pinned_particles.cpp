// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/pinned_particles.hpp"

#include <cuda_runtime.h>
#include <sys/mman.h>

#include <cstdlib>
#include <memory>

#include "host/base/kept_blocks.hpp"
#include "host/base/particle_memory.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t page = std::size_t{4} << 10;

/// A failure may mean that the driver has shut down before the last array: the memory is freed all the same.
struct Unlock {
  void operator()(void* data) const noexcept {
    if (cudaHostUnregister(data) != cudaSuccess) cudaGetLastError();
    std::free(data);
  }
};

using Blocks = KeptBlocks<Unlock>;

/// The system maps pages one by one, so all threads touch them.
void touch_pages(std::byte* data, std::size_t bytes) {
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < bytes; b += page) data[b] = std::byte{0};
}

/// Whole huge pages. Empty if there is no memory, or none that may be locked.
Blocks::Block lock_block(std::size_t bytes, int device) {
  auto* data = static_cast<std::byte*>(std::aligned_alloc(huge_page, bytes));
  if (data == nullptr) return {};
  ::madvise(data, bytes, MADV_HUGEPAGE);
  touch_pages(data, bytes);
  // A thread that has not chosen a device would open a context on the first one.
  if (cudaSetDevice(device) == cudaSuccess && cudaHostRegister(data, bytes, cudaHostRegisterPortable) == cudaSuccess) {
    return {std::unique_ptr<void, Unlock>(data), bytes};
  }
  cudaGetLastError();
  std::free(data);
  return {};
}

/// Locking costs about 0.3 s per GB, so freed blocks are kept, with at most a quarter of the bytes in use.
class PinnedParticles final : public ParticleMemory {
 public:
  explicit PinnedParticles(int device) : device_(device) {}

  void* allocate(std::size_t bytes) noexcept override try {
    return blocks_.take((bytes + huge_page - 1) / huge_page * huge_page,
                        [this](std::size_t whole) { return lock_block(whole, device_); });
  } catch (...) {
    return nullptr;
  }
  bool deallocate(void* data) noexcept override {
    return blocks_.give_back(data, [](std::size_t used) { return used / 4; });
  }

 private:
  int device_;
  Blocks blocks_;
};

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
