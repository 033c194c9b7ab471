// SPDX-License-Identifier: GPL-3.0-or-later
#include <omp.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "host/base/aligned_buffer.hpp"
#include "host/direct/direct_backend.hpp"
#include "host/direct/find_frame.hpp"
#include "host/simd/simd_kernels.hpp"
#include "host/threads/most_threads.hpp"

namespace multiwalk {

namespace {

/// Pairs that are worth a second thread.
constexpr std::size_t pairs_per_thread = 200'000;
/// Targets that a thread takes at once, and the most that share a pass over the sources.
constexpr std::size_t targets_at_a_time = 64;
/// Vectors of sources that a thread packs at once, and fewest that are packed by several.
constexpr std::size_t vectors_at_a_time = 1024;

/// The number of sources worth a thread of their own if targets are few; the same for any number of threads.
std::size_t vectors_of_part(std::size_t targets, std::size_t lanes) {
  constexpr std::size_t multiple = 64;
  if (targets > targets_at_a_time) return std::numeric_limits<std::size_t>::max();
  return (pairs_per_thread / (targets * lanes) + multiple) / multiple * multiple;
}

template <class T>
T* data_or_null(std::span<T> values) {
  return values.empty() ? nullptr : values.data();
}

/// How a task is summed: as it asks, or in double precision where its bodies need that.
struct Plan {
  DirectFrame frame;
  DirectPrecision precision;
  bool softened;

  explicit Plan(const DirectTask& task) : precision(task.precision) {
    if (precision.accumulation != Accumulation::full) frame = direct_frame(task);
    if (frame.full) precision.accumulation = Accumulation::full;
    const bool full = precision.accumulation == Accumulation::full;
    softened = full ? is_softened_in_double(task.softening2) : is_softened(frame.softening2(task.softening2));
  }
};

GravityCall call_of(const DirectTask& task, const DirectFrame& frame) {
  return {task.source_position.data(),
          data_or_null(task.source_velocity),
          task.source_mass.data(),
          task.source_position.size(),
          task.target_position.data(),
          data_or_null(task.target_velocity),
          data_or_null(task.target_mass),
          data_or_null(task.acceleration),
          data_or_null(task.jerk),
          data_or_null(task.potential),
          task.softening2,
          frame};
}

template <class T>
void fill(std::span<T> values) {
  std::fill(values.begin(), values.end(), T{});
}

template <class T>
void add_parts(const std::vector<T>& parts, std::span<T> sum) {
  fill(sum);
  for (std::size_t i = 0; i < parts.size(); ++i) sum[i % sum.size()] += parts[i];
}

/// Calls act(first, end) for ranges of `size` items, by several threads.
template <class Act>
void in_ranges(std::size_t items, std::size_t size, int threads, const Act& act) {
  const std::size_t ranges = (items + size - 1) / size;
  if (threads == 1 || ranges < 2) {
    act(0, items);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::size_t r = 0; r < ranges; ++r) act(r * size, std::min(items, (r + 1) * size));
}

class SimdDirectBackend final : public DirectBackend {
 public:
  SimdDirectBackend(int threads, std::string_view instruction_set)
      : kernels_(simd_kernels(instruction_set)), threads_(threads) {}

  std::string_view name() const override { return "cpu"; }
  std::string description() const override {
    const int threads = all_threads();
    return std::string(kernels_.name) + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }

  void sum(const DirectTask& task) override {
    check_task(task);
    const std::size_t sources = task.source_position.size(), targets = task.target_position.size();
    if (targets == 0) return;
    if (sources == 0) {
      fill(task.acceleration);
      fill(task.jerk);
      fill(task.potential);
      return;
    }
    const Plan plan(task);
    const GravityCall call = call_of(task, plan.frame);
    const GravityLoops loops = kernels_.gravity_loops({!task.jerk.empty(), plan.softened, plan.precision});
    const std::size_t vectors = (sources + loops.lanes - 1) / loops.lanes;
    std::byte* packed = packed_.reserve(vectors * loops.vector_bytes);
    const int threads = threads_for(sources * targets);
    in_ranges(vectors, vectors_at_a_time, threads,
              [&](std::size_t first, std::size_t end) { loops.pack(call, first, end, packed); });
    const std::size_t part = vectors_of_part(targets, loops.lanes);
    if (part < vectors) {
      sum_parts(task, call, loops, packed, part, threads);
      return;
    }
    const std::size_t share = (targets + static_cast<std::size_t>(threads) - 1) / static_cast<std::size_t>(threads);
    in_ranges(targets, std::min(share, targets_at_a_time), threads,
              [&](std::size_t first, std::size_t end) { loops.sum(call, packed, first, end); });
  }

 private:
  [[nodiscard]] int all_threads() const {
    return threads_ > 0 ? threads_ : std::min(omp_get_max_threads(), most_threads());
  }

  /// Little work is done at once by the caller.
  [[nodiscard]] int threads_for(std::size_t pairs) const {
    const auto useful = static_cast<int>(std::min<std::size_t>(1 + pairs / pairs_per_thread, 1 << 16));
    return std::min(useful, all_threads());
  }

  /// Few targets: threads take `part` vectors of the sources each; the parts' sums are added in their order.
  void sum_parts(const DirectTask& task, const GravityCall& call, const GravityLoops& loops, const std::byte* packed,
                 std::size_t part, int threads) {
    const std::size_t sources = part * loops.lanes, targets = task.target_position.size();
    const std::size_t parts = (call.sources + sources - 1) / sources;
    acceleration_.resize(parts * task.acceleration.size());
    jerk_.resize(parts * task.jerk.size());
    potential_.resize(parts * task.potential.size());
    in_ranges(parts, 1, threads, [&](std::size_t first, std::size_t end) {
      for (std::size_t p = first; p < end; ++p) {
        GravityCall mine = call;
        mine.sources = std::min(sources, call.sources - p * sources);
        if (p > 0) mine.target_mass = nullptr;
        if (mine.acceleration != nullptr) mine.acceleration = acceleration_.data() + p * targets;
        if (mine.jerk != nullptr) mine.jerk = jerk_.data() + p * targets;
        if (mine.potential != nullptr) mine.potential = potential_.data() + p * targets;
        loops.sum(mine, packed + p * part * loops.vector_bytes, 0, targets);
      }
    });
    add_parts(acceleration_, task.acceleration);
    add_parts(jerk_, task.jerk);
    add_parts(potential_, task.potential);
  }

  const SimdKernels& kernels_;
  int threads_;
  AlignedBuffer<std::byte> packed_;
  std::vector<Vec3d> acceleration_, jerk_;  ///< (parts, targets)
  std::vector<double> potential_;
};

}  // namespace

std::unique_ptr<DirectBackend> make_simd_direct_backend(int threads, std::string_view instruction_set) {
  return std::make_unique<SimdDirectBackend>(threads, instruction_set);
}

}  // namespace multiwalk
