// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/backends/raw_reader.cuh"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>

#include "device/base/fetch.cuh"
#include "device/base/too_small.hpp"
#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t results_at_once = std::size_t{1} << 20;  ///< on their way to page-locked memory

/// Where the byte lies, if kernels of the current device can read it under its own address.
cudaMemoryType type_at(const std::byte* byte, int device) {
  cudaPointerAttributes at{};
  if (cudaPointerGetAttributes(&at, byte) != cudaSuccess) {
    cudaGetLastError();
    return cudaMemoryTypeUnregistered;
  }
  const bool reached = at.devicePointer == byte && (at.type == cudaMemoryTypeHost || at.device == device);
  return reached ? at.type : cudaMemoryTypeUnregistered;
}

/// The memory of the first and of the last byte; unregistered if they differ.
cudaMemoryType type_of(const void* data, std::size_t bytes, int device) {
  const auto* first = static_cast<const std::byte*>(data);
  const cudaMemoryType type = type_at(first, device);
  return type_at(first + bytes - 1, device) == type ? type : cudaMemoryTypeUnregistered;
}

bool readable(const NumberArray& numbers, int device) {
  return numbers.data() == nullptr ||
         type_of(numbers.data(), numbers.size() * numbers.element_bytes(), device) != cudaMemoryTypeUnregistered;
}

/// The memory of both arrays; unregistered if they differ.
cudaMemoryType type_of(const ResultArrays& results, int device) {
  const std::size_t bytes = results.size() * results.number_bytes();
  if (bytes == 0) return cudaMemoryTypeUnregistered;
  const cudaMemoryType type = type_of(results.acceleration(), 3 * bytes, device);
  return type_of(results.potential(), bytes, device) == type ? type : cudaMemoryTypeUnregistered;
}

/// Results from `first` on, at most `most`.
ResultArrays part_of(const ResultArrays& all, std::size_t first, std::size_t most) {
  const std::size_t n = std::min(most, all.size() - first);
  return all.with_type(
      [&](auto* acceleration, auto* potential) { return ResultArrays(acceleration + first, potential + first, n); });
}

}  // namespace

bool RawReader::reads(const ParticleFeed& feed) const {
  const RawArrays* const raw = feed.raw();
  memory_.make_current();
  return raw != nullptr && readable(raw->position, memory_.device()) && readable(raw->mass, memory_.device()) &&
         readable(raw->previous, memory_.device());
}

bool RawReader::writes(const ParticleFeed& feed, const Stream& stream) {
  const RawArrays* const raw = feed.raw();
  if (raw == nullptr) return false;
  memory_.make_current();
  const cudaMemoryType type = type_of(raw->results, memory_.device());
  if (type != cudaMemoryTypeHost) return type == cudaMemoryTypeDevice;
  return stage_.reserve(4 * raw->results.number_bytes() * std::min(results_at_once, raw->results.size()), stream);
}

void RawReader::copy_rows(void* to, const void* from, std::size_t bytes, std::size_t stride, std::size_t rows) {
  memory_.make_current();
  for (const void* array : {static_cast<const void*>(to), from}) {
    cudaPointerAttributes at{};
    check_cuda(cudaPointerGetAttributes(&at, array), "cudaPointerGetAttributes");
    if (at.type == cudaMemoryTypeDevice && at.device != memory_.device()) {
      throw InputError("the arrays lie on GPU " + std::to_string(at.device) + ", but forces are computed on GPU " +
                       std::to_string(memory_.device()) + ": move them to that GPU");
    }
  }
  check_cuda(cudaDeviceSynchronize(), "the caller's work on the device");
  if (stride != bytes) {  // separate rows travel slowly between device and host
    if (!stage_.reserve(bytes * rows, rows_)) throw too_small(memory_, "it has no room for a sample of the particles");
    check_cuda(cudaMemcpy2DAsync(stage_.data(), bytes, from, stride, bytes, rows, cudaMemcpyDefault, rows_.get()),
               "cudaMemcpy2DAsync");
    from = stage_.data();
  }
  check_cuda(cudaMemcpyAsync(to, from, bytes * rows, cudaMemcpyDefault, rows_.get()), "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(rows_.get()), "copying the caller's arrays");
}

ConvertedPart* RawReader::parts(const Stream& stream) {
  if (!part_.reserve(convert_parts, stream)) throw too_small(memory_, "it has no room to convert particles");
  return part_.data();
}

FoundNumbers RawReader::found(const Stream& stream) {
  ConvertedPart* const part = found_.reserve(convert_parts);
  check_cuda(cudaMemcpyAsync(part, part_.data(), convert_parts * sizeof *part, cudaMemcpyDeviceToHost, stream.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream.get()), "converting particles");
  FoundNumbers all;
  for (const ConvertedPart* p = part; p < part + convert_parts; ++p) {
    all.mass += p->sum;
    all.heaviest = std::max(all.heaviest, p->most);
    all.usable = all.usable && p->wrong == 0;
  }
  return all;
}

FoundNumbers RawReader::positions(const RawArrays& raw, StoreCopy& to, const Stream& stream) {
  convert_numbers(raw.position, raw.length, false, &to.position.data()->x, parts(stream), stream);
  return found(stream);
}

FoundNumbers RawReader::masses(const RawArrays& raw, StoreCopy& to, const Stream& stream) {
  convert_numbers(raw.mass, raw.weight, true, to.mass.data(), parts(stream), stream);
  to.masses_there.record(stream);
  to.all_there.record(stream);
  return found(stream);
}

void RawReader::begin_accelerations(const RawArrays& raw, StoreCopy& to, std::size_t n, const Stream& stream) {
  const NumberArray old = raw.previous.empty() ? NumberArray(0.0, 3 * n) : raw.previous;
  convert_numbers(old, raw.old, false, &to.acceleration.data()->x, parts(stream), stream);
  to.all_there.record(stream);
}

FoundNumbers RawReader::end_accelerations(const Stream& stream) {
  return found(stream);
}

bool RawReader::results(const RawArrays& raw, const Vec3f* acceleration, const float* potential, const Stream& stream) {
  if (!wrong_.reserve(1, stream)) throw too_small(memory_, "it has no room to convert forces");
  check_cuda(cudaMemsetAsync(wrong_.data(), 0, sizeof(int), stream.get()), "cudaMemsetAsync");
  const ResultArrays& all = raw.results;
  const bool own = type_of(all, memory_.device()) == cudaMemoryTypeDevice;
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  };
  for (std::size_t first = 0; first < all.size(); first += results_at_once) {
    const ResultArrays part = part_of(all, first, results_at_once);
    const std::size_t bytes = part.size() * part.number_bytes();
    const ResultArrays to = own ? part : part.at(stage_.data(), stage_.data() + 3 * bytes);
    convert_results({acceleration + first, potential + first, raw.pull, raw.energy, to}, wrong_.data(), stream);
    if (own) continue;
    copy(part.acceleration(), to.acceleration(), 3 * bytes);
    copy(part.potential(), to.potential(), bytes);
  }
  stage_.release(stream);
  return fetch(wrong_.data(), stream) == 0;
}

}  // namespace multiwalk
