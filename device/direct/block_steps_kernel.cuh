// SPDX-License-Identifier: GPL-3.0-or-later
// Hermite's block steps (host/time/hermite_blocks.hpp) of bodies that stay on the device, many in one launch: a step of
// a few bodies takes less time than to launch a kernel or to ask the host. Each thread block keeps some of the bodies
// in shared memory: it predicts them, sums them as sources on all targets of the step (so the bodies are divided among
// the memories of GRAPE-6: Makino et al. 2003), and corrects those of them that were targets. Between these the whole
// grid waits for its last block.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "device/direct/gravity_records.cuh"
#include "device/direct/pair_accumulator.cuh"
#include "host/time/block_ticks.hpp"
#include "host/time/hermite.hpp"

namespace multiwalk {

inline constexpr unsigned block_step_threads = 512;

/// (N) in device memory.
struct SteppedBodies {
  Vec3d *position, *velocity, *acceleration, *jerk;
  double* potential;
  const double* mass;
  std::uint8_t* rung;
  unsigned count;
};

enum class StepFault : int { none, force_not_finite, step_too_short };

/// What a launch has done, with its initial values.
struct StepsMade {
  std::uint64_t tick = 0, steps = 0, body_steps = 0;
  StepFault fault = StepFault::none;
  /// What thread blocks communicate, alternately for a step and for the next: the deepest rung when it begins, and the
  /// number of active bodies.
  int deepest[2] = {0, 0};
  unsigned active[2] = {0, 0};
};

/// The task of a launch, and its working memory.
template <class Pair, class Real>
struct StepsTask {
  using Source = typename Pair::template Source<Real>;
  using Target = typename Pair::template Target<Real>;
  using Sum = typename Pair::template Sum<double>;

  Pair pair;
  SteppedBodies bodies;
  DirectFrame frame;
  GravityResults<Real> results;
  BlockTicks block;
  double eta;
  std::uint64_t tick;  ///< of the last step
  std::uint64_t most;  ///< steps

  Aligned<Target>* target;  ///< (active bodies)
  Sum* part;                ///< (active bodies x thread blocks)
  StepsMade* made;
};

/// A step of the system: the ticks of the one before and of this.
struct StepTicks {
  std::uint64_t last, now;

  [[nodiscard]] __device__ double elapsed(const BlockTicks& block, int rung) const {
    return block.length(now - BlockTicks::begin_of_step(last, rung));
  }
};

/// What all thread blocks have communicated about a step.
struct Told {
  int deepest;
  unsigned active;
  StepFault fault;
};

/// One of a thread block's own bodies.
struct OwnBody {
  HermiteState state;
  double potential, mass;
  int rung;
  unsigned target;  ///< its number among the active bodies of all thread blocks
};

/// A thread block's part in the steps. The order in which bodies come to be targets varies; no sum depends on it.
template <class Pair, class Real, Accumulation mode>
class BlockStepping {
  using Task = StepsTask<Pair, Real>;
  using Source = typename Task::Source;
  using Target = typename Task::Target;
  using Sum = typename Task::Sum;
  static constexpr unsigned warp_threads = 32, whole_warp = 0xffffffffU;

 public:
  /// Shared memory for each of a block's bodies, and for each block.
  static constexpr std::size_t bytes_of_body = sizeof(Aligned<Source>) + sizeof(OwnBody) + sizeof(unsigned);
  static constexpr std::size_t bytes_of_block = sizeof(unsigned) + sizeof(Told);

  /// `shared`: room for the bodies of any block.
  __device__ BlockStepping(const Task& task, std::byte* shared)
      : task_(task),
        first_(first_of(blockIdx.x)),
        count_(first_of(blockIdx.x + 1) - first_),
        source_(reinterpret_cast<Aligned<Source>*>(shared + bytes_of_block)),
        own_(reinterpret_cast<OwnBody*>(source_ + count_)),
        active_(reinterpret_cast<unsigned*>(own_ + count_)),
        active_count_(*reinterpret_cast<unsigned*>(shared)),
        told_(*reinterpret_cast<Told*>(shared + sizeof(unsigned))) {}

  __device__ void load() const {
    const SteppedBodies& b = task_.bodies;
    for (unsigned k = threadIdx.x; k < count_; k += block_step_threads) {
      const unsigned i = first_ + k;
      own_[k] = {{b.position[i], b.velocity[i], b.acceleration[i], b.jerk[i]}, b.potential[i], b.mass[i], b.rung[i], 0};
    }
    if (threadIdx.x == 0) active_count_ = 0;
    __syncthreads();
  }
  __device__ void store() const {
    const SteppedBodies& b = task_.bodies;
    for (unsigned k = threadIdx.x; k < count_; k += block_step_threads) {
      const unsigned i = first_ + k;
      const OwnBody& own = own_[k];
      b.position[i] = own.state.position;
      b.velocity[i] = own.state.velocity;
      b.acceleration[i] = own.state.acceleration;
      b.jerk[i] = own.state.jerk;
      b.potential[i] = own.potential;
      b.rung[i] = static_cast<std::uint8_t>(own.rung);
    }
  }

  /// What was communicated before the grid's last wait. Only one thread reads it: all threads of all blocks would
  /// queue.
  __device__ Told told(unsigned turn) const {
    if (threadIdx.x == 0) {
      const volatile StepsMade& made = *task_.made;
      told_ = {made.deepest[turn], made.active[turn], made.fault};
    }
    __syncthreads();
    return told_;
  }
  /// Communicates the deepest rung of the own bodies to all others.
  __device__ void tell_deepest(int& deepest_of_all) const {
    for (unsigned first = 0; first < count_; first += block_step_threads) {
      const unsigned k = first + threadIdx.x;
      const int deepest = __reduce_max_sync(whole_warp, k < count_ ? own_[k].rung : 0);
      if (threadIdx.x % warp_threads == 0 && k < count_) atomicMax(&deepest_of_all, deepest);
    }
  }

  /// Predicts the own bodies; those whose steps end now become targets.
  __device__ void predict(const StepTicks& ticks, unsigned& targets) const {
    for (unsigned k = threadIdx.x; k < count_; k += block_step_threads) {
      OwnBody& own = own_[k];
      const HermiteState state = multiwalk::predict(own.state, ticks.elapsed(task_.block, own.rung));
      Aligned<Source> made{};
      set_motion(made.record, state.position, state.velocity, task_.frame);
      made.record.mass = static_cast<Real>(own.mass / task_.frame.mass);
      source_[k] = made;
      if (!BlockTicks::step_ends(ticks.now, own.rung)) continue;
      active_[atomicAdd(&active_count_, 1U)] = k;
      own.target = atomicAdd(&targets, 1U);
      Aligned<Target> target{};
      target.record = Pair::target(made.record);
      task_.target[own.target] = target;
    }
  }

  /// Sums the own bodies on all targets. If targets are few, several lanes share the sources of one target.
  __device__ void sum(unsigned targets) const {
    unsigned sets = warp_threads;
    while (sets > 1 && sets * targets > block_step_threads) sets /= 2;
    const unsigned set = threadIdx.x % sets;
    for (unsigned chunk = 0; chunk < targets; chunk += block_step_threads / sets) {
      const unsigned t = chunk + threadIdx.x / sets;
      const Target target = task_.target[min(t, targets - 1)].record;
      PairAccumulator<Pair, Real, mode> total;
      for (unsigned first = 0; first < count_; first += most_in_part) {
        const unsigned end = min(first + most_in_part, count_);
#pragma unroll 4
        for (unsigned k = first + set; k < end; k += sets) total.add(task_.pair, target, source_[k].record);
        total.end_of_part();
      }
      Sum sum = total.total();
      add_lanes(sum, sets);
      if (t < targets && set == 0) task_.part[std::size_t{t} * gridDim.x + blockIdx.x] = sum;
    }
  }

  /// Corrects the own bodies that are active, a warp each, once all thread blocks have summed.
  __device__ void correct(const StepTicks& ticks) const {
    const unsigned lane = threadIdx.x % warp_threads;
    for (unsigned a = threadIdx.x / warp_threads; a < active_count_; a += block_step_threads / warp_threads) {
      OwnBody& own = own_[active_[a]];
      const Sum* const part = task_.part + std::size_t{own.target} * gridDim.x;
      Sum sum{};
#pragma unroll 4
      for (unsigned p = lane; p < gridDim.x; p += warp_threads) add_record<double>(sum, part[p]);
      add_lanes(sum, warp_threads);
      if (lane == 0) correct_body(ticks, own, task_.results.of(own.mass, sum));
    }
    __syncthreads();
    if (threadIdx.x == 0) active_count_ = 0;
  }

 private:
  static constexpr unsigned most_in_part = 128;  ///< as PairAccumulator requires

  [[nodiscard]] __device__ unsigned first_of(unsigned thread_block) const {
    return static_cast<unsigned>(std::uint64_t{task_.bodies.count} * thread_block / gridDim.x);
  }

  /// In the first of each `lanes` neighbouring lanes the sum of all of them.
  static __device__ void add_lanes(Sum& sum, unsigned lanes) {
    auto* const values = reinterpret_cast<double*>(&sum);
    for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (unsigned c = 0; c < sizeof(Sum) / sizeof(double); ++c) {
        values[c] += __shfl_down_sync(whole_warp, values[c], distance);
      }
    }
  }

  __device__ void correct_body(const StepTicks& ticks, OwnBody& own, const GravityOnBody& force) const {
    const double dt = ticks.elapsed(task_.block, own.rung);
    const double wanted = aarseth_step(own.state, force.acceleration, force.jerk, dt, task_.eta);
    own.state = multiwalk::correct(own.state, force.acceleration, force.jerk, dt);
    own.potential = force.potential;
    const int next = task_.block.next_rung(own.rung, ticks.now, wanted);
    if (next > BlockTicks::deepest) task_.made->fault = StepFault::step_too_short;
    if (next <= BlockTicks::deepest) own.rung = next;
    if (!isfinite(norm2(force.acceleration) + norm2(force.jerk))) task_.made->fault = StepFault::force_not_finite;
  }

  const Task& task_;
  unsigned first_, count_;   ///< own bodies
  Aligned<Source>* source_;  ///< (own) predicted
  OwnBody* own_;
  unsigned* active_;  ///< (own) the first active_count_: those whose steps end now
  unsigned& active_count_;
  Told& told_;
};

/// Steps until `most` are made, the block ends or something fails. A cooperative launch of block_step_threads with as
/// much shared memory as BlockStepping says.
template <class Pair, class Real, Accumulation mode>
__global__ void __launch_bounds__(block_step_threads, 1)
    block_steps_kernel(const __grid_constant__ StepsTask<Pair, Real> task) {
  extern __shared__ __align__(16) std::byte shared[];
  const auto grid = cooperative_groups::this_grid();
  const BlockStepping<Pair, Real, mode> stepping(task, shared);
  const bool first_thread = grid.thread_rank() == 0;
  StepsMade made;
  made.tick = task.tick;
  stepping.load();
  stepping.tell_deepest(task.made->deepest[0]);
  grid.sync();
  while (made.steps < task.most && made.tick < BlockTicks::ticks) {
    const unsigned turn = made.steps % 2, next = 1 - turn;
    const Told told = stepping.told(turn);
    if (told.fault != StepFault::none) break;
    const StepTicks ticks{made.tick, made.tick + BlockTicks::step_ticks(told.deepest)};
    if (first_thread) {
      task.made->deepest[next] = 0;
      task.made->active[next] = 0;
    }
    stepping.predict(ticks, task.made->active[turn]);
    grid.sync();
    const unsigned active = stepping.told(turn).active;
    stepping.sum(active);
    grid.sync();
    stepping.correct(ticks);
    stepping.tell_deepest(task.made->deepest[next]);
    grid.sync();
    made.tick = ticks.now;
    made.steps += 1;
    made.body_steps += active;
  }
  stepping.store();
  if (!first_thread) return;
  task.made->tick = made.tick;
  task.made->steps = made.steps;
  task.made->body_steps = made.body_steps;
}

}  // namespace multiwalk
