// SPDX-License-Identifier: GPL-3.0-or-later
// Messages on a ring of ranks that sum over each other's bodies.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// Some of a rank's bodies.
struct BodyRange {
  std::size_t first = 0, count = 0;
};

template <class T>
std::span<T> part(std::span<T> values, BodyRange range) {
  return values.empty() ? values : values.subspan(range.first, range.count);
}

/// One rank's sources; without velocities if no jerk is wanted.
struct RingSources {
  std::span<const Vec3d> position, velocity;
  std::span<const double> mass;

  [[nodiscard]] RingSources in(BodyRange range) const {
    return {part(position, range), part(velocity, range), part(mass, range)};
  }
  /// Starts to send them.
  void send(const Communicator& comm, int to, std::vector<Transfer>& transfers) const;
};

/// Memory for the sources of another rank.
class SourceMemory {
 public:
  /// Starts to receive `count`.
  RingSources receive(const Communicator& comm, int from, std::size_t count, bool velocities,
                      std::vector<Transfer>& transfers);

 private:
  std::vector<Vec3d> position_, velocity_;
  std::vector<double> mass_;
};

/// The sums that some rank wants.
struct WantedSums {
  bool acceleration = false, jerk = false, potential = false;
};

/// Sums on bodies; empty: not wanted.
struct RingSums {
  std::span<Vec3d> acceleration, jerk;
  std::span<double> potential;

  [[nodiscard]] RingSums in(BodyRange range) const {
    return {part(acceleration, range), part(jerk, range), part(potential, range)};
  }
  void clear() const;
  /// Adds those that both sides have.
  void add(const RingSums& sums) const;
  /// Start to send, or to receive, them.
  void send(const Communicator& comm, int to, std::vector<Transfer>& transfers) const;
  void receive(const Communicator& comm, int from, std::vector<Transfer>& transfers) const;
};

/// Memory for `count` of them.
class SumMemory {
 public:
  RingSums reserve(std::size_t count, WantedSums wanted);

 private:
  std::vector<Vec3d> acceleration_, jerk_;
  std::vector<double> potential_;
};

}  // namespace multiwalk
