// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <string>

#include "device/base/device_buffer.cuh"
#include "device/base/pinned_memory.hpp"
#include "device/direct/block_steps_kernel.cuh"
#include "device/direct/cuda_block_stepper.hpp"
#include "host/base/error.hpp"
#include "host/direct/find_frame.hpp"
#include "host/text/plain_number.hpp"
#include "host/time/whole_task.hpp"

namespace multiwalk {

namespace {

constexpr unsigned least_of_block = 8;     // bodies
constexpr std::size_t most_of_body = 192;  // bytes of shared memory

/// A part of the memory that is copied: `of_body` bytes for each body.
struct Section {
  std::size_t begin, of_body;
};

/// The bodies' arrays one after the other, then what was done.
struct Travelling {
  std::size_t count;
  Section position = after({0, 0}, sizeof(Vec3d)), velocity = after(position, sizeof(Vec3d));
  Section acceleration = after(velocity, sizeof(Vec3d)), jerk = after(acceleration, sizeof(Vec3d));
  Section potential = after(jerk, sizeof(double)), mass = after(potential, sizeof(double));
  Section rung = after(mass, sizeof(std::uint8_t)), made = after(rung, 0);

  [[nodiscard]] std::size_t bytes() const { return made.begin + sizeof(StepsMade); }

 private:
  [[nodiscard]] Section after(const Section& before, std::size_t of_body) const {
    return {(before.begin + count * before.of_body + 7) / 8 * 8, of_body};
  }
};

class CudaBlockStepper final : public BlockStepper {
 public:
  /// The device must be current.
  CudaBlockStepper(int device, unsigned multiprocessors, std::size_t shared_bytes)
      : multiprocessors_(multiprocessors), shared_bytes_(shared_bytes), memory_(device, 0) {}

  [[nodiscard]] bool takes(const DirectOptions& options, std::size_t bodies) const override;
  BlockSteps steps(const DirectOptions& options, Bodies& bodies, DirectState& state, std::uint64_t most) override;

 private:
  void bring(const Bodies& bodies, const DirectState& state);
  void launch(const DirectOptions& options, const DirectState& state, std::uint64_t most);
  template <class Pair, class Real, Accumulation mode>
  void launch_as(const DirectOptions& options, double softening2, const DirectState& state, std::uint64_t most);
  /// Throws Error if a step failed.
  StepsMade fetch(Bodies& bodies, DirectState& state);

  template <class T>
  [[nodiscard]] T* there(const Section& section) const {
    return reinterpret_cast<T*>(arrays_.data() + section.begin);
  }
  template <class T>
  T* room(DeviceBuffer<std::byte>& buffer, std::size_t count) {
    require(buffer.reserve(count * sizeof(T), stream_), "the GPU has not the memory for the bodies");
    return reinterpret_cast<T*>(buffer.data());
  }

  [[nodiscard]] unsigned thread_blocks(unsigned bodies) const {
    return std::clamp(bodies / least_of_block, 1U, multiprocessors_);
  }

  unsigned multiprocessors_;
  std::size_t shared_bytes_;  ///< that a thread block may have
  DeviceMemory memory_;
  Stream stream_;
  Event began_, ended_;
  Travelling layout_{0};
  PinnedBuffer<std::byte> stage_;
  DeviceBuffer<std::byte> arrays_{memory_}, target_{memory_}, part_{memory_};
};

bool CudaBlockStepper::takes(const DirectOptions& options, std::size_t bodies) const {
  const Accumulation accumulation = options.precision.accumulation;
  const bool precise = accumulation == Accumulation::full ||
                       (accumulation == Accumulation::mixed && options.precision.splitting == Splitting::hi_lo);
  return options.scheme == DirectScheme::hermite && options.steps == DirectSteps::block && options.iterations == 1 &&
         precise && bodies > 0 && bodies / multiprocessors_ + 2 <= shared_bytes_ / most_of_body;
}

BlockSteps CudaBlockStepper::steps(const DirectOptions& options, Bodies& bodies, DirectState& state,
                                   std::uint64_t most) {
  memory_.make_current();
  if (!state.frame) state.frame = direct_frame(whole_task(options, bodies));
  bring(bodies, state);
  began_.record(stream_);
  DirectOptions used = options;
  if (state.frame->full) used.precision.accumulation = Accumulation::full;
  launch(used, state, most);
  ended_.record(stream_);
  const StepsMade made = fetch(bodies, state);
  return {{made.steps, made.body_steps}, ended_.seconds_since(began_)};
}

/// Calls act(section, values) for each array that is copied; `bodies` and `state` may be const.
template <class SomeBodies, class State, class Act>
void for_each_array(const Travelling& layout, SomeBodies& bodies, State& state, const Act& act) {
  act(layout.position, bodies.position.data());
  act(layout.velocity, bodies.velocity.data());
  act(layout.acceleration, bodies.acceleration.data());
  act(layout.jerk, bodies.jerk.data());
  act(layout.potential, bodies.potential.data());
  act(layout.mass, bodies.mass.data());
  act(layout.rung, state.rung.data());
}

void CudaBlockStepper::bring(const Bodies& bodies, const DirectState& state) {
  layout_ = Travelling{bodies.size()};
  std::byte* const stage = stage_.reserve(layout_.bytes());
  for_each_array(layout_, bodies, state, [&](const Section& section, const void* values) {
    std::memcpy(stage + section.begin, values, layout_.count * section.of_body);
  });
  const StepsMade none;
  std::memcpy(stage + layout_.made.begin, &none, sizeof none);
  check_cuda(cudaMemcpyAsync(room<std::byte>(arrays_, layout_.bytes()), stage, layout_.bytes(), cudaMemcpyHostToDevice,
                             stream_.get()),
             "cudaMemcpyAsync");
}

void CudaBlockStepper::launch(const DirectOptions& options, const DirectState& state, std::uint64_t most) {
  const double softening2 = state.frame->softening2(options.softening * options.softening);
  if (options.precision.accumulation == Accumulation::full) {
    constexpr Accumulation full = Accumulation::full;
    if (is_softened_in_double(softening2))
      return launch_as<GravityJerkPair<true, SingleVector>, double, full>(options, softening2, state, most);
    return launch_as<GravityJerkPair<false, SingleVector>, double, full>(options, 0, state, most);
  }
  constexpr Accumulation mixed = Accumulation::mixed;
  if (is_softened(softening2)) {
    return launch_as<GravityJerkPair<true, SplitVector>, float, mixed>(options, softening2, state, most);
  }
  launch_as<GravityJerkPair<false, SplitVector>, float, mixed>(options, 0, state, most);
}

template <class Pair, class Real, Accumulation mode>
void CudaBlockStepper::launch_as(const DirectOptions& options, double softening2, const DirectState& state,
                                 std::uint64_t most) {
  using Task = StepsTask<Pair, Real>;
  using Stepping = BlockStepping<Pair, Real, mode>;
  static_assert(Stepping::bytes_of_body <= most_of_body && Stepping::bytes_of_block <= most_of_body,
                "takes() counts them");
  const auto n = static_cast<unsigned>(layout_.count);
  const unsigned blocks = thread_blocks(n);
  const DirectFrame& frame = *state.frame;
  Task task{};
  task.pair = {softening2};
  task.bodies = {there<Vec3d>(layout_.position),     there<Vec3d>(layout_.velocity),
                 there<Vec3d>(layout_.acceleration), there<Vec3d>(layout_.jerk),
                 there<double>(layout_.potential),   there<double>(layout_.mass),
                 there<std::uint8_t>(layout_.rung),  n};
  task.frame = frame;
  task.results.softening2 = softening2;
  task.results.mass = frame.mass;
  task.results.acceleration_unit = frame.acceleration();
  task.results.potential_unit = frame.potential();
  task.results.jerk_unit = frame.jerk();
  task.block = {state.block_begin, state.block_end};
  task.eta = options.eta;
  task.tick = state.tick;
  task.most = most;
  task.target = room<Aligned<typename Task::Target>>(target_, n);
  task.part = room<typename Task::Sum>(part_, std::size_t{n} * blocks);
  task.made = there<StepsMade>(layout_.made);
  const auto* const kernel = reinterpret_cast<const void*>(block_steps_kernel<Pair, Real, mode>);
  const std::size_t shared = Stepping::bytes_of_block + (n + blocks - 1) / blocks * Stepping::bytes_of_body;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
             "cudaFuncSetAttribute");
  void* arguments[] = {&task};
  check_cuda(
      cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(block_step_threads), arguments, shared, stream_.get()),
      "block_steps_kernel");
}

StepsMade CudaBlockStepper::fetch(Bodies& bodies, DirectState& state) {
  std::byte* const stage = stage_.data();
  check_cuda(cudaMemcpyAsync(stage, arrays_.data(), layout_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
             "cudaMemcpyAsync");
  check_cuda(cudaStreamSynchronize(stream_.get()), "block steps");
  StepsMade made;
  std::memcpy(&made, stage + layout_.made.begin, sizeof made);
  require(made.fault != StepFault::force_not_finite, "a force is not finite");
  require(made.fault != StepFault::step_too_short,
          "a body wants a step shorter than the shortest, after time " + text_of(state.time));
  for_each_array(layout_, bodies, state, [&](const Section& section, void* values) {
    std::memcpy(values, stage + section.begin, layout_.count * section.of_body);
  });
  state.tick = made.tick;
  return made;
}

}  // namespace

std::unique_ptr<BlockStepper> make_cuda_block_stepper(int device) {
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
    return value;
  };
  if (attribute(cudaDevAttrCooperativeLaunch) == 0) return nullptr;
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  return std::make_unique<CudaBlockStepper>(
      device, static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount)),
      static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)));
}

}  // namespace multiwalk
