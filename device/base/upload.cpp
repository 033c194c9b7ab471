// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/base/upload.cuh"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "host/force/particle_feed.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t stage_bytes = 8 * 24 * ParticleFeed::part;  // 16384 positions
constexpr std::size_t block_bytes = std::size_t{256} << 10;

/// Elements that are made at a time: small pieces start early and share the work evenly, large ones cost fewer calls.
std::size_t piece_of(std::size_t n, std::size_t element_bytes) {
  constexpr std::size_t unit = ParticleFeed::part, least_pieces = 32;
  const std::size_t most = stage_bytes / element_bytes / unit;
  return std::clamp<std::size_t>(n / least_pieces / unit, 1, most) * unit;
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

Uploader::Uploader(std::span<const int> devices) : devices_(devices.begin(), devices.end()) {
  std::byte* data = data_.reserve(stage_.size() * stage_bytes);
  for (Stage& stage : stage_) {
    stage.data = std::exchange(data, data + stage_bytes);
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
    made_line({bytes,
               1,
               {destination.begin(), destination.end()},
               {stream.begin(), stream.end()},
               [from](std::size_t first, std::size_t count, std::byte* to) { std::memcpy(to, from + first, count); }})
        .run();
  }
}

PieceLine Uploader::made_line(MadeArray array) {
  const std::size_t piece = piece_of(array.count, array.element);
  Stage* const stage = &stage_[lines_++ % 2 * stages_of_line];
  // The streams are nearly always past these copies, which belong to the array before the last.
  for (Stage* s = stage; s < stage + stages_of_line; ++s) {
    for (const Event& sent : s->sent) sent.synchronize();
  }
  const auto stage_of = [stage](std::size_t p) -> Stage& { return stage[p % stages_of_line]; };
  const auto count_of = [n = array.count, piece](std::size_t p) { return std::min(piece, n - p * piece); };
  const auto made = std::make_shared<const MadeArray>(std::move(array));
  PieceLine::Steps steps;
  steps.work = [=](std::size_t p) { made->make(p * piece, count_of(p), stage_of(p).data); };
  steps.start = [=, this](std::size_t p) {
    Stage& from = stage_of(p);
    send(from.data, count_of(p) * made->element, p * piece * made->element, made->destination, made->stream);
    for (std::size_t d = 0; d < devices_.size(); ++d) from.sent[d].record(*made->stream[d]);
  };
  steps.moved = [=](std::size_t p) {
    return std::ranges::all_of(stage_of(p).sent, [](const Event& sent) { return sent.happened(); });
  };
  return {(made->count + piece - 1) / piece, stages_of_line, PieceLine::Order::worked_then_moved, std::move(steps)};
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
