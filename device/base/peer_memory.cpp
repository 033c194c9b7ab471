// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/peer_memory.cuh"

namespace multiwalk {

PeerBuffer::~PeerBuffer() {
  for (const Block& block : blocks_) memory_->free(block.data, block.bytes);
}

bool PeerBuffer::reserve(std::size_t bytes) {
  if (!blocks_.empty() && bytes <= blocks_.back().bytes) return true;
  const std::size_t roomy = bytes + bytes / 2;
  Block block{static_cast<std::byte*>(memory_->allocate_plain(roomy)), roomy};
  if (block.data == nullptr) block = {static_cast<std::byte*>(memory_->allocate_plain(bytes)), bytes};
  if (block.data == nullptr) return false;
  blocks_.push_back(block);
  handle_ = {};
  if (cudaIpcGetMemHandle(&handle_, block.data) != cudaSuccess) {
    cudaGetLastError();
    handle_ = {};
  }
  return true;
}

const std::byte* OpenedPeer::open(const cudaIpcMemHandle_t& handle) {
  if (data_ != nullptr && std::memcmp(&handle, &handle_, sizeof handle) == 0) return static_cast<std::byte*>(data_);
  close();
  const cudaIpcMemHandle_t none{};
  if (std::memcmp(&handle, &none, sizeof handle) == 0) return nullptr;
  if (cudaIpcOpenMemHandle(&data_, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
    cudaGetLastError();
    data_ = nullptr;
    return nullptr;
  }
  handle_ = handle;
  return static_cast<std::byte*>(data_);
}

void OpenedPeer::close() noexcept {
  if (data_ != nullptr) cudaIpcCloseMemHandle(data_);
  data_ = nullptr;
}

}  // namespace multiwalk
