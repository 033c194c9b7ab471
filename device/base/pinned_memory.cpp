// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/pinned_memory.hpp"

#include "device/base/cuda_check.cuh"

namespace multiwalk {

namespace {

bool is_locked_at(const std::byte* byte) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, byte) == cudaSuccess) return attributes.type == cudaMemoryTypeHost;
  cudaGetLastError();
  return false;
}

class PinnedMemory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* data = nullptr;
    check_cuda(cudaHostAlloc(&data, bytes, cudaHostAllocPortable), "cudaHostAlloc (page-locked memory for batches)");
    return data;
  }
  void do_deallocate(void* data, std::size_t, std::size_t) override { cudaFreeHost(data); }
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

}  // namespace

std::pmr::memory_resource* pinned_memory() {
  static PinnedMemory memory;
  return &memory;
}

bool is_page_locked(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  return bytes > 0 && is_locked_at(first) && is_locked_at(first + bytes - 1);
}

}  // namespace multiwalk
