#include "device/direct/task_arrays.cuh"

#include <cstring>
#include <span>

namespace multiwalk {

namespace {

constexpr std::size_t most_together = std::size_t{1} << 20;  // bytes

template <class T>
const T* place(const std::byte* base, std::size_t offset, std::size_t bytes) {
  return bytes == 0 ? nullptr : reinterpret_cast<const T*>(base + offset);
}

template <class T>
T* place(std::byte* base, std::size_t offset, std::size_t bytes) {
  return bytes == 0 ? nullptr : reinterpret_cast<T*>(base + offset);
}

}  // namespace

template <std::size_t n>
std::size_t TaskArrays::lay_out(std::array<Array, n>& arrays) {
  constexpr std::size_t alignment = 256;
  std::size_t end = 0;
  for (Array& array : arrays) {
    array.offset = end;
    end = (end + array.bytes + alignment - 1) / alignment * alignment;
  }
  return end;
}

template <std::size_t n>
void TaskArrays::send(const std::array<Array, n>& arrays, std::size_t bytes, const Stream& stream) {
  if (bytes > most_together) {
    for (const Array& array : arrays) {
      const std::array<void*, 1> destination{input_.data() + array.offset};
      const std::array<const Stream*, 1> streams{&stream};
      if (array.bytes > 0) uploader_.copy(array.data, array.bytes, destination, streams);
    }
    return;
  }
  std::byte* const stage = going_.reserve(bytes);
  for (const Array& array : arrays) {
    if (array.bytes > 0) std::memcpy(stage + array.offset, array.data, array.bytes);
  }
  check_cuda(cudaMemcpyAsync(input_.data(), stage, bytes, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
}

GravityTask TaskArrays::bring(const DirectTask& task, const Stream& stream) {
  const bool jerk = !task.jerk.empty(), apart = !task.mutual();
  const auto array = [](auto values, bool wanted) { return Array{values.data(), wanted ? values.size_bytes() : 0}; };
  std::array arrays{
      array(task.source_position, true),  array(task.source_velocity, jerk),          array(task.source_mass, true),
      array(task.target_position, apart), array(task.target_velocity, jerk && apart), array(task.target_mass, true)};
  const std::size_t in = lay_out(arrays);
  std::array results{array(task.acceleration, true), array(task.jerk, true), array(task.potential, true)};
  const std::size_t out = lay_out(results);
  require(input_.reserve(in, stream) && output_.reserve(out, stream), "the GPU has not the memory for the bodies");
  send(arrays, in, stream);
  const auto there = [&]<class T>(std::type_identity<T>, std::size_t a) {
    return place<T>(static_cast<const std::byte*>(input_.data()), arrays[a].offset, arrays[a].bytes);
  };
  constexpr std::type_identity<Vec3d> vectors;
  constexpr std::type_identity<double> numbers;
  GravityTask placed;
  placed.sources = {there(vectors, 0), there(vectors, 1), there(numbers, 2), task.source_position.size()};
  placed.targets =
      apart ? BodyArrays{there(vectors, 3), there(vectors, 4), nullptr, task.target_position.size()} : placed.sources;
  placed.own_mass = there(numbers, 5);
  placed.acceleration = place<Vec3d>(output_.data(), results[0].offset, results[0].bytes);
  placed.jerk = place<Vec3d>(output_.data(), results[1].offset, results[1].bytes);
  placed.potential = place<double>(output_.data(), results[2].offset, results[2].bytes);
  return placed;
}

void TaskArrays::fetch(const DirectTask& task, const GravityTask& there, const Stream& stream) {
  const auto for_each = [&](const auto& act) {
    act(std::as_writable_bytes(task.acceleration), there.acceleration);
    act(std::as_writable_bytes(task.jerk), there.jerk);
    act(std::as_writable_bytes(task.potential), there.potential);
  };
  std::size_t end = 0;  // of the results on the device
  for_each([&](std::span<std::byte> to, const void* from) {
    if (!to.empty()) end = static_cast<const std::byte*>(from) - output_.data() + to.size();
  });
  const bool together = end <= most_together;
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  };
  if (together) {
    copy(coming_.reserve(end), output_.data(), end);
  } else {
    for_each([&](std::span<std::byte> to, const void* from) {
      if (!to.empty()) copy(to.data(), from, to.size());
    });
  }
  check_cuda(cudaStreamSynchronize(stream.get()), "direct summation");
  if (!together) return;
  for_each([&](std::span<std::byte> to, const void* from) {
    if (!to.empty())
      std::memcpy(to.data(), coming_.data() + (static_cast<const std::byte*>(from) - output_.data()), to.size());
  });
}

}  // namespace multiwalk
