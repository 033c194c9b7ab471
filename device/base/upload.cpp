// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/upload.cuh"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device/base/pinned_memory.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t stage_bytes = std::size_t{6} << 20;
constexpr std::size_t block_bytes = std::size_t{256} << 10;
constexpr std::size_t least_piece = std::size_t{1} << 16, most_piece = std::size_t{1} << 18;  // elements

/// Elements that are made at a time: small pieces start early, large ones cost fewer calls.
std::size_t piece_of(std::size_t n, std::size_t element_bytes) {
  constexpr std::size_t unit = 2048;
  return std::clamp(n / 8, least_piece, std::min(most_piece, stage_bytes / element_bytes)) / unit * unit;
}

}  // namespace

void parallel_copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t blocks = (bytes + block_bytes - 1) / block_bytes;
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t begin = b * block_bytes;
    std::memcpy(to + begin, from + begin, std::min(block_bytes, bytes - begin));
  }
}

Uploader::Stage::Stage() : data(stage_bytes, pinned_memory()) {}

Uploader::Uploader(std::span<const int> devices) : devices_(devices.begin(), devices.end()) {
  for (Stage& stage : stage_) {
    for (const int device : devices_) {
      check_cuda(cudaSetDevice(device), "cudaSetDevice");
      stage.sent.emplace_back();
    }
  }
}

void Uploader::copy(const void* source, std::size_t bytes, std::span<void* const> destination,
                    std::span<const Stream* const> stream) {
  const auto* from = static_cast<const std::byte*>(source);
  if (is_page_locked(source, bytes)) {
    send(from, bytes, 0, destination, stream);
  } else {
    copy_staged(from, bytes, destination, stream);
  }
}

void Uploader::copy_staged(const std::byte* source, std::size_t bytes, std::span<void* const> destination,
                           std::span<const Stream* const> stream) {
  for (std::size_t done = 0; done < bytes; done += stage_bytes) {
    const std::size_t part = std::min(stage_bytes, bytes - done);
    Stage& stage = next_stage();
    parallel_copy(stage.data.data(), source + done, part);
    send(stage.data.data(), part, done, destination, stream);
    for (std::size_t d = 0; d < devices_.size(); ++d) stage.sent[d].record(*stream[d]);
  }
}

void Uploader::copy_made(std::size_t n, std::span<const MadeArray> arrays, std::span<const Stream* const> stream,
                         const Make& make) {
  std::size_t bytes = 0;
  for (const MadeArray& array : arrays) bytes += array.element;
  const std::size_t piece = piece_of(n, bytes);
  std::vector<std::byte*> place(arrays.size());
  for (std::size_t first = 0; first < n; first += piece) {
    const std::size_t count = std::min(piece, n - first);
    Stage& stage = next_stage();
    std::byte* next = stage.data.data();
    for (std::size_t a = 0; a < arrays.size(); ++a) place[a] = std::exchange(next, next + piece * arrays[a].element);
    make(first, count, place);
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      send(place[a], count * arrays[a].element, first * arrays[a].element, arrays[a].destination, stream);
    }
    for (std::size_t d = 0; d < devices_.size(); ++d) stage.sent[d].record(*stream[d]);
  }
}

Uploader::Stage& Uploader::next_stage() {
  Stage& stage = stage_[next_++ % stage_.size()];
  for (const Event& sent : stage.sent) sent.synchronize();
  return stage;
}

void Uploader::send(const std::byte* source, std::size_t bytes, std::size_t offset, std::span<void* const> destination,
                    std::span<const Stream* const> stream) const {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    check_cuda(cudaSetDevice(devices_[d]), "cudaSetDevice");
    check_cuda(cudaMemcpyAsync(static_cast<std::byte*>(destination[d]) + offset, source, bytes, cudaMemcpyHostToDevice,
                               stream[d]->get()),
               "cudaMemcpyAsync");
  }
}

}  // namespace multiwalk
