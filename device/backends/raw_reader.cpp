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

bool readable(const NumberArray& numbers, int device) {
  if (numbers.data() == nullptr) return true;
  const auto* first = static_cast<const std::byte*>(numbers.data());
  const std::byte* last = first + numbers.size() * numbers.element_bytes() - 1;
  return type_at(first, device) != cudaMemoryTypeUnregistered && type_at(last, device) != cudaMemoryTypeUnregistered;
}

}  // namespace

bool RawReader::reads(const ParticleFeed& feed) const {
  const RawArrays* const raw = feed.raw();
  memory_.make_current();
  return raw != nullptr && readable(raw->position, memory_.device()) && readable(raw->mass, memory_.device()) &&
         readable(raw->previous, memory_.device());
}

bool RawReader::writes(const ParticleFeed& feed) const {
  const RawArrays* const raw = feed.raw();
  if (raw == nullptr) return false;
  memory_.make_current();
  const auto own = [&](const void* data) {
    return type_at(static_cast<const std::byte*>(data), memory_.device()) == cudaMemoryTypeDevice;
  };
  return own(raw->acceleration) && own(raw->potential);
}

void RawReader::copy_rows(void* to, const void* from, std::size_t bytes, std::size_t stride, std::size_t rows) const {
  memory_.make_current();
  for (const void* array : {static_cast<const void*>(to), from}) {
    cudaPointerAttributes at{};
    check_cuda(cudaPointerGetAttributes(&at, array), "cudaPointerGetAttributes");
    if (at.type == cudaMemoryTypeDevice && at.device != memory_.device()) {
      throw InputError("the arrays lie on GPU " + std::to_string(at.device) + ", but forces are computed on GPU " +
                       std::to_string(memory_.device()) + ": move them there");
    }
  }
  check_cuda(cudaDeviceSynchronize(), "the caller's work on the device");
  if (stride == bytes) {
    check_cuda(cudaMemcpy(to, from, bytes * rows, cudaMemcpyDefault), "cudaMemcpy");
  } else {
    check_cuda(cudaMemcpy2D(to, bytes, from, stride, bytes, rows, cudaMemcpyDefault), "cudaMemcpy2D");
  }
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

bool RawReader::results(const RawArrays& raw, const Vec3f* acceleration, const float* potential, std::size_t n,
                        const Stream& stream) {
  if (!wrong_.reserve(1, stream)) throw too_small(memory_, "it has no room to convert forces");
  check_cuda(cudaMemsetAsync(wrong_.data(), 0, sizeof(int), stream.get()), "cudaMemsetAsync");
  convert_results({acceleration, potential, raw.pull, raw.energy, raw.acceleration, raw.potential}, n, wrong_.data(),
                  stream);
  return fetch(wrong_.data(), stream) == 0;
}

}  // namespace multiwalk
