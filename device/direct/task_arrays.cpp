// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/direct/task_arrays.cuh"

#include <algorithm>
#include <cstring>

namespace multiwalk {

namespace {

constexpr std::size_t most_together = std::size_t{1} << 20, piece_bytes = std::size_t{4} << 20;  // bytes

}  // namespace

template <class Bytes>
std::size_t TaskArrays::lay_out(std::span<Array<Bytes>> arrays, std::size_t alignment) {
  std::size_t end = 0;
  for (Array<Bytes>& array : arrays) {
    array.offset = end;
    end = (end + array.bytes + alignment - 1) / alignment * alignment;
  }
  return end;
}

void TaskArrays::send(std::span<Input> arrays, const Stream& stream) {
  const std::size_t bytes = lay_out(arrays, 256);
  require(input_.reserve(bytes, stream), "the GPU has not the memory for the bodies");
  if (bytes > most_together) {
    for (const Input& array : arrays) {
      const std::array<void*, 1> destination{input_.data() + array.offset};
      const std::array<const Stream*, 1> streams{&stream};
      if (array.bytes > 0) uploader_.copy(array.data, array.bytes, destination, streams);
    }
    return;
  }
  std::byte* const stage = going_.reserve(bytes);
  for (const Input& array : arrays) {
    if (array.bytes > 0) std::memcpy(stage + array.offset, array.data, array.bytes);
  }
  check_cuda(cudaMemcpyAsync(input_.data(), stage, bytes, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
}

BodyArrays TaskArrays::bodies_at(std::span<const Input, 3> arrays, std::size_t count) const {
  const std::byte* const base = input_.data();
  return {arrays[0].template at<const Vec3d>(base), arrays[1].template at<const Vec3d>(base),
          arrays[2].template at<const double>(base), count};
}

void TaskArrays::place_results(std::vector<Result> results, const Stream& stream) {
  results_ = std::move(results);
  result_bytes_ = lay_out(std::span(results_), alignof(double));
  require(output_.reserve(result_bytes_, stream), "the GPU has not the memory for the bodies");
}

BodySums TaskArrays::sums_at(std::size_t first) const {
  std::byte* const base = output_.data();
  return {results_[first].template at<Vec3d>(base), results_[first + 1].template at<Vec3d>(base),
          results_[first + 2].template at<double>(base)};
}

GravityTask TaskArrays::bring(const DirectTask& task, const Stream& stream) {
  const bool jerk = !task.jerk.empty(), apart = !task.mutual();
  std::array inputs{
      array(task.source_position),        array(task.source_velocity, jerk),          array(task.source_mass),
      array(task.target_position, apart), array(task.target_velocity, jerk && apart), array(task.target_mass)};
  send(inputs, stream);
  place_results({array(task.acceleration), array(task.jerk), array(task.potential)}, stream);
  GravityTask placed;
  placed.sources = bodies_at(std::span(inputs).first<3>(), task.source_position.size());
  placed.targets = apart ? bodies_at(std::span(inputs).last<3>(), task.target_position.size()) : placed.sources;
  placed.own_mass = inputs[5].at<const double>(input_.data());
  placed.pairs = apart || task.target_mass.empty() ? Pairs::one_way : Pairs::within;
  placed.sums = sums_at(0);
  return placed;
}

GravityTask TaskArrays::bring(const DirectCouple& couple, const Stream& stream) {
  const DirectBlock &first = couple.first, &second = couple.second;
  const bool jerk = !first.jerk.empty() || !second.jerk.empty();
  std::array inputs{array(first.position),  array(first.velocity, jerk),  array(first.mass),
                    array(second.position), array(second.velocity, jerk), array(second.mass)};
  send(inputs, stream);
  place_results({array(first.acceleration), array(first.jerk), array(first.potential), array(second.acceleration),
                 array(second.jerk), array(second.potential)},
                stream);
  GravityTask placed;
  placed.targets = bodies_at(std::span(inputs).first<3>(), first.position.size());
  placed.sources = bodies_at(std::span(inputs).last<3>(), second.position.size());
  placed.pairs = Pairs::between;
  placed.sums = sums_at(0);
  placed.reaction = sums_at(3);
  return placed;
}

void TaskArrays::fetch(const Stream& stream) {
  const std::size_t pieces = (result_bytes_ + piece_bytes - 1) / piece_bytes;
  const auto bytes_of = [&](std::size_t piece) { return std::min(piece_bytes, result_bytes_ - piece * piece_bytes); };
  for (std::size_t piece = 0; piece <= pieces; ++piece) {
    if (piece < pieces) {
      Piece& coming = pieces_[piece % pieces_.size()];
      const std::size_t bytes = bytes_of(piece);
      check_cuda(cudaMemcpyAsync(coming.data.reserve(bytes), output_.data() + piece * piece_bytes, bytes,
                                 cudaMemcpyDeviceToHost, stream.get()),
                 "cudaMemcpyAsync");
      coming.arrival.record(stream);
    }
    if (piece > 0) {
      const Piece& arrived = pieces_[(piece - 1) % pieces_.size()];
      arrived.arrival.synchronize();
      place(arrived.data.data(), (piece - 1) * piece_bytes, bytes_of(piece - 1));
    }
  }
  check_cuda(cudaStreamSynchronize(stream.get()), "direct summation");
}

void TaskArrays::place(const std::byte* from, std::size_t first, std::size_t bytes) const {
  for (const Result& result : results_) {
    const std::size_t begin = std::max(first, result.offset),
                      end = std::min(first + bytes, result.offset + result.bytes);
    if (begin < end) parallel_copy(result.data + (begin - result.offset), from + (begin - first), end - begin);
  }
}

}  // namespace multiwalk
