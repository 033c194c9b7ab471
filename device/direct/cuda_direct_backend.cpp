#include "device/direct/cuda_direct_backend.hpp"

#include <array>
#include <vector>

#include "device/devices.hpp"
#include "device/direct/gravity_sums.cuh"
#include "device/upload.cuh"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

namespace {

/// Arrays of a task in device memory.
struct TaskArrays {
  DeviceBuffer<Vec3d> source_position, source_velocity, target_position, target_velocity, acceleration, jerk;
  DeviceBuffer<double> source_mass, target_mass, potential;

  explicit TaskArrays(DeviceMemory& memory)
      : source_position(memory),
        source_velocity(memory),
        target_position(memory),
        target_velocity(memory),
        acceleration(memory),
        jerk(memory),
        source_mass(memory),
        target_mass(memory),
        potential(memory) {}
};

class CudaDirectBackend final : public DirectBackend {
 public:
  /// The device must be current.
  explicit CudaDirectBackend(const DeviceDescription& device)
      : description_(device), memory_(device.number, 0), uploader_(std::array{device.number}) {}

  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] std::string description() const override { return description_.name; }
  void sum(const DirectTask& task) override;
  [[nodiscard]] double kernel_seconds() const override { return kernel_seconds_; }

 private:
  template <class T>
  [[nodiscard]] T* room(DeviceBuffer<T>& buffer, std::size_t count) {
    require(buffer.reserve(count, stream_), "the GPU " + description_.name + " has not the memory for the bodies");
    return buffer.data();
  }
  /// Null for an empty array.
  template <class T>
  [[nodiscard]] const T* upload(DeviceBuffer<T>& buffer, std::span<const T> source) {
    if (source.empty()) return nullptr;
    const std::array<void*, 1> destination{room(buffer, source.size())};
    const std::array<const Stream*, 1> stream{&stream_};
    uploader_.copy(source.data(), source.size_bytes(), destination, stream);
    return buffer.data();
  }
  template <class T>
  void download(std::span<T> to, const T* from) {
    if (to.empty()) return;
    check_cuda(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream_.get()),
               "cudaMemcpyAsync");
  }
  GravityTask bring(const DirectTask& task);

  DeviceDescription description_;
  DeviceMemory memory_;
  Stream stream_;
  Event began_, ended_;
  Uploader uploader_;
  TaskArrays arrays_{memory_};
  DirectScratch scratch_{memory_};
  double kernel_seconds_ = 0;
};

GravityTask CudaDirectBackend::bring(const DirectTask& task) {
  const bool jerk = !task.jerk.empty();
  GravityTask there;
  there.sources = {upload(arrays_.source_position, task.source_position),
                   jerk ? upload(arrays_.source_velocity, task.source_velocity) : nullptr,
                   upload(arrays_.source_mass, task.source_mass), task.source_position.size()};
  there.targets = there.sources;
  if (!task.mutual()) {
    there.targets = {upload(arrays_.target_position, task.target_position),
                     jerk ? upload(arrays_.target_velocity, task.target_velocity) : nullptr, nullptr,
                     task.target_position.size()};
  }
  there.own_mass = upload(arrays_.target_mass, task.target_mass);
  there.centre = bounding_box(task.source_position).centre();
  there.softening2 = task.softening2;
  there.precision = task.precision;
  there.mutual = task.mutual() && !task.target_mass.empty();
  there.multiprocessors = static_cast<unsigned>(description_.multiprocessors);
  const std::size_t n = task.target_position.size();
  if (!task.acceleration.empty()) there.acceleration = room(arrays_.acceleration, n);
  if (jerk) there.jerk = room(arrays_.jerk, n);
  if (!task.potential.empty()) there.potential = room(arrays_.potential, n);
  return there;
}

void CudaDirectBackend::sum(const DirectTask& task) {
  check_task(task);
  if (task.target_position.empty()) return;
  memory_.make_current();
  const GravityTask there = bring(task);
  began_.record(stream_);
  if (task.precision.accumulation == Accumulation::full) {
    sum_gravity_in_double(there, scratch_, stream_);
  } else if (there.jerk != nullptr) {
    sum_gravity_and_jerk(there, scratch_, stream_);
  } else {
    sum_gravity(there, scratch_, stream_);
  }
  ended_.record(stream_);
  download(task.acceleration, there.acceleration);
  download(task.jerk, there.jerk);
  download(task.potential, there.potential);
  check_cuda(cudaStreamSynchronize(stream_.get()), "direct summation");
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
