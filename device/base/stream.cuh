// SPDX-License-Identifier: GPL-3.0-or-later
// Owners of a CUDA stream and a CUDA event of the device that is current when they are made.
#pragma once

#include <utility>

#include "device/base/cuda_check.cuh"

namespace multiwalk {

class Event;

class Stream {
 public:
  Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Work that is enqueued from now on waits for the event.
  void wait(const Event& event) const;

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  void record(const Stream& stream) { check_cuda(cudaEventRecord(event_, stream.get()), "cudaEventRecord"); }
  void synchronize() const { check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Without waiting.
  [[nodiscard]] bool happened() const {
    const cudaError_t status = cudaEventQuery(event_);
    if (status != cudaErrorNotReady) check_cuda(status, "cudaEventQuery");
    return status == cudaSuccess;
  }
  [[nodiscard]] cudaEvent_t get() const { return event_; }
  /// Seconds from `start` to this event; both have happened.
  [[nodiscard]] double seconds_since(const Event& start) const {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

inline void Stream::wait(const Event& event) const {
  check_cuda(cudaStreamWaitEvent(stream_, event.get(), 0), "cudaStreamWaitEvent");
}

}  // namespace multiwalk
