#include "device/direct/cuda_direct_backend.hpp"

#include <vector>

#include "device/devices.hpp"
#include "device/direct/gravity_sums.cuh"
#include "device/direct/task_arrays.cuh"

namespace multiwalk {

namespace {

class CudaDirectBackend final : public DirectBackend {
 public:
  /// The device must be current.
  explicit CudaDirectBackend(const DeviceDescription& device) : description_(device), memory_(device.number, 0) {}

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] std::string description() const override { return description_.name; }
  void sum(const DirectTask& task) override;
  void sum_both(const DirectCouple& couple) override;
  [[nodiscard]] double kernel_seconds() const override { return kernel_seconds_; }

 private:
  /// Fills the results of the task, or couple, whose arrays are those `there`.
  template <class Task>
  void run(const Task& task, GravityTask there);

  DeviceDescription description_;
  DeviceMemory memory_;
  Stream stream_;
  Event began_, ended_;
  TaskArrays arrays_{memory_};
  DirectScratch scratch_{memory_};
  double kernel_seconds_ = 0;
};

void CudaDirectBackend::sum(const DirectTask& task) {
  check_task(task);
  if (task.target_position.empty()) return;
  memory_.make_current();
  run(task, arrays_.bring(task, stream_));
}

void CudaDirectBackend::sum_both(const DirectCouple& couple) {
  if (couple.first.position.empty() || couple.second.position.empty()) return DirectBackend::sum_both(couple);
  check_task(couple.one_way());
  check_task(couple.swapped().one_way());
  memory_.make_current();
  run(couple, arrays_.bring(couple, stream_));
}

template <class Task>
void CudaDirectBackend::run(const Task& task, GravityTask there) {
  const bool full = task.precision.accumulation == Accumulation::full;
  there.frame = direct_frame(task);
  there.softening2 = there.frame.softening2(task.softening2);
  if (!full && !is_softened(there.softening2)) there.softening2 = 0;
  there.precision = task.precision;
  there.multiprocessors = static_cast<unsigned>(description_.multiprocessors);
  began_.record(stream_);
  if (full) {
    sum_gravity_in_double(there, scratch_, stream_);
  } else if (there.jerk()) {
    sum_gravity_and_jerk(there, scratch_, stream_);
  } else {
    sum_gravity(there, scratch_, stream_);
  }
  ended_.record(stream_);
  arrays_.fetch(stream_);
  kernel_seconds_ = ended_.seconds_since(began_);
}

}  // namespace

std::unique_ptr<DirectBackend> make_cuda_direct_backend(int device, std::string& why) {
  const std::vector<int> asked = device < 0 ? std::vector<int>{} : std::vector{device};
  for (const DeviceDescription& found : find_devices(why, asked)) {
    if (device >= 0 && found.number != device) continue;
    if (found.fault.empty()) {
      check_cuda(cudaSetDevice(found.number), "cudaSetDevice");
      why = found.name + " ran a test kernel";
      return std::make_unique<CudaDirectBackend>(found);
    }
    why = found.name + ": " + found.fault;
  }
  if (why.empty()) why = "there is no such CUDA device";
  return nullptr;
}

}  // namespace multiwalk
