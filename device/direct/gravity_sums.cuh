// SPDX-License-Identifier: GPL-3.0-or-later
// Direct summation of gravity on one device, by the precision and results a task asks for.
#pragma once

#include <cstddef>
#include <utility>

#include "device/base/device_buffer.cuh"
#include "host/base/vec3.hpp"
#include "host/direct/direct_backend.hpp"
#include "host/simd/direct_frame.hpp"

namespace multiwalk {

/// (N) in device memory; velocities are null where no jerk is wanted, masses those of targets that have none.
struct BodyArrays {
  const Vec3d* position = nullptr;
  const Vec3d* velocity = nullptr;
  const double* mass = nullptr;
  std::size_t count = 0;
};

/// (N) in device memory; null: not wanted.
struct BodySums {
  Vec3d* acceleration = nullptr;
  Vec3d* jerk = nullptr;
  double* potential = nullptr;
};

/// Working memory of one summation, kept for the next.
struct DirectScratch {
  DeviceBuffer<std::byte> source, target, part, column, total;
  DeviceBuffer<unsigned> tickets;

  explicit DirectScratch(DeviceMemory& memory)
      : source(memory), target(memory), part(memory), column(memory), total(memory), tickets(memory) {}
};

/// Which pairs are asked for.
enum class Pairs {
  one_way,  ///< of every target with every source
  within,   ///< of bodies that are both targets and sources, own pairs left out: may be evaluated once for both
  between   ///< of targets with sources that are other bodies, for the sums of both: as above
};

/// A DirectTask or DirectCouple whose arrays are in device memory.
struct GravityTask {
  BodyArrays sources, targets;
  DirectFrame frame;
  double softening2 = 0;  ///< in the frame's units; 0: unsoftened
  DirectPrecision precision;
  Pairs pairs = Pairs::one_way;
  std::size_t mutual_from = 0;  ///< fewer bodies are summed one way
  unsigned multiprocessors = 1;
  const double* own_mass = nullptr;  ///< (targets) null: own pairs stay in the potential
  BodySums sums;                     ///< (targets)
  BodySums reaction;                 ///< (sources), only of Pairs::between

  [[nodiscard]] bool jerk() const { return sums.jerk != nullptr || reaction.jerk != nullptr; }
  [[nodiscard]] GravityTask swapped() const {
    GravityTask task = *this;
    std::swap(task.sources, task.targets);
    std::swap(task.sums, task.reaction);
    return task;
  }
};

/// Enqueue the summation; without and with jerk, in single and in double precision. Throw Error if the device has not
/// the memory or refuses a launch.
void sum_gravity(const GravityTask& task, DirectScratch& scratch, const Stream& stream);
void sum_gravity_and_jerk(const GravityTask& task, DirectScratch& scratch, const Stream& stream);
void sum_gravity_in_double(const GravityTask& task, DirectScratch& scratch, const Stream& stream);

}  // namespace multiwalk
