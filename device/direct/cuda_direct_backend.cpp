// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/direct/cuda_direct_backend.hpp"

#include <array>
#include <functional>
#include <vector>

#include "device/base/devices.hpp"
#include "device/direct/gravity_sums.cuh"
#include "device/direct/task_arrays.cuh"
#include "host/direct/find_frame.hpp"

namespace multiwalk {

namespace {

/// A summation under way, or room for one.
struct DirectSlot {
  explicit DirectSlot(DeviceMemory& memory) : arrays(memory) {}

  Stream copies;
  Event brought, began, ended;
  TaskArrays arrays;
  bool busy = false;
};

class CudaDirectBackend final : public DirectBackend {
 public:
  /// The device must be current.
  CudaDirectBackend(const DeviceDescription& device, std::size_t mutual_from)
      : description_(device), mutual_from_(mutual_from), memory_(device.number, 0) {}

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] std::string description() const override { return description_.name; }
  void sum(const DirectTask& task) override { begin_sum(task)(); }
  void sum_both(const DirectCouple& couple) override { begin_sum_both(couple)(); }
  [[nodiscard]] std::function<void()> begin_sum(const DirectTask& task) override;
  [[nodiscard]] std::function<void()> begin_sum_both(const DirectCouple& couple) override;
  [[nodiscard]] double kernel_seconds() const override { return kernel_seconds_; }
  void evaluate_in_a_row(int times) override { in_a_row_ = times; }

 private:
  /// For a task or a couple. Copies of one summation overlap with the pairs of another. Kernels run one after the
  /// other: blocks of the next summation would fill the device and delay the last, short kernels of this one.
  template <class Task>
  [[nodiscard]] std::function<void()> begin(const Task& task);
  void evaluate(const GravityTask& task);

  DeviceDescription description_;
  std::size_t mutual_from_;
  DeviceMemory memory_;
  Stream kernels_;
  DirectScratch scratch_{memory_};
  std::array<DirectSlot, 2> slots_{DirectSlot{memory_}, DirectSlot{memory_}};
  double kernel_seconds_ = 0;
  int in_a_row_ = 1;
};

std::function<void()> CudaDirectBackend::begin_sum(const DirectTask& task) {
  check_task(task);
  if (task.target_position.empty()) return [] {};
  return begin(task);
}

std::function<void()> CudaDirectBackend::begin_sum_both(const DirectCouple& couple) {
  check_task(couple.one_way());
  check_task(couple.swapped().one_way());
  if (!couple.first.position.empty() && !couple.second.position.empty()) return begin(couple);
  DirectBackend::sum_both(couple);
  return [] {};
}

void CudaDirectBackend::evaluate(const GravityTask& task) {
  if (task.precision.accumulation == Accumulation::full) {
    sum_gravity_in_double(task, scratch_, kernels_);
  } else if (task.jerk()) {
    sum_gravity_and_jerk(task, scratch_, kernels_);
  } else {
    sum_gravity(task, scratch_, kernels_);
  }
}

template <class Task>
std::function<void()> CudaDirectBackend::begin(const Task& task) {
  DirectSlot& slot = slots_[slots_[0].busy ? 1 : 0];
  require(!slot.busy, "two direct summations are under way");
  memory_.make_current();
  GravityTask there = slot.arrays.bring(task, slot.copies);
  slot.brought.record(slot.copies);
  kernels_.wait(slot.brought);
  there.frame = direct_frame(task);
  there.precision = task.precision;
  if (there.frame.full) there.precision.accumulation = Accumulation::full;
  const bool full = there.precision.accumulation == Accumulation::full;
  there.softening2 = there.frame.softening2(task.softening2);
  if (!(full ? is_softened_in_double(there.softening2) : is_softened(there.softening2))) there.softening2 = 0;
  there.mutual_from = mutual_from_;
  there.multiprocessors = static_cast<unsigned>(description_.multiprocessors);
  slot.began.record(kernels_);
  try {
    for (int time = 0; time < in_a_row_; ++time) evaluate(there);
  } catch (...) {
    cudaStreamSynchronize(
        kernels_.get());  // those that were launched read and write what the next summation may replace
    throw;
  }
  slot.ended.record(kernels_);
  slot.copies.wait(slot.ended);
  slot.busy = true;
  return [this, &slot] {
    slot.busy = false;
    memory_.make_current();
    slot.arrays.fetch(slot.copies);
    kernel_seconds_ = slot.ended.seconds_since(slot.began) / in_a_row_;
  };
}

}  // namespace

std::unique_ptr<DirectBackend> make_cuda_direct_backend(int device, std::string& why, std::size_t mutual_from) {
  const std::vector<int> asked = device < 0 ? std::vector<int>{} : std::vector{device};
  for (const DeviceDescription& found : find_devices(why, asked)) {
    if (device >= 0 && found.number != device) continue;
    if (found.fault.empty()) {
      check_cuda(cudaSetDevice(found.number), "cudaSetDevice");
      why = found.name + " ran a test kernel";
      return std::make_unique<CudaDirectBackend>(found, mutual_from);
    }
    why = found.name + ": " + found.fault;
  }
  if (why.empty()) why = "there is no such CUDA device";
  return nullptr;
}

}  // namespace multiwalk
