// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/peer_memory.cuh"

#include <random>

namespace multiwalk {

namespace {

std::uint64_t this_process() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random();
  }();
  return number;
}

}  // namespace

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
  address_ = {.data = block.data, .process = this_process()};
  if (cudaIpcGetMemHandle(&address_.handle, block.data) != cudaSuccess) {
    cudaGetLastError();
    address_.handle = {};
  }
  return true;
}

const std::byte* OpenedPeer::open(const PeerAddress& address) {
  if (address.process == this_process()) return address.data;
  if (opened_ != nullptr && address == address_) return static_cast<std::byte*>(opened_);
  close();
  const cudaIpcMemHandle_t none{};
  if (std::memcmp(&address.handle, &none, sizeof none) == 0) return nullptr;
  if (cudaIpcOpenMemHandle(&opened_, address.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
    cudaGetLastError();
    opened_ = nullptr;
    return nullptr;
  }
  address_ = address;
  return static_cast<std::byte*>(opened_);
}

void OpenedPeer::close() noexcept {
  if (opened_ != nullptr) cudaIpcCloseMemHandle(opened_);
  opened_ = nullptr;
}

}  // namespace multiwalk
