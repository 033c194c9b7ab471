// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the particles that cross the past light cone of an observer. Each periodic image of a particle crosses it
// exactly once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/sky/light_path.hpp"
#include "analysis/sky/replicas.hpp"
#include "analysis/sky/sky_view.hpp"
#include "host/base/box.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// An image of a particle at the moment when it crosses the light cone. Vectors are in the frame of the sky.
struct Crossing {
  Vec3d position;   ///< relative to the observer, comoving Mpc/h
  double distance;  ///< norm of the position, apart from rounding
  double a;         ///< expansion factor
  Vec3f momentum;   ///< p = a^2 dx/dt of the drift, which belongs to the middle of the particle's own step
  float mass;
  std::uint64_t id;
};

class CrossingSink {
 public:
  virtual ~CrossingSink() = default;
  /// Called by several threads concurrently, in any order.
  virtual void count(std::span<const Crossing> crossings) = 0;
  /// Whether append() is needed; threads then wait for each other.
  [[nodiscard]] virtual bool in_order() const = 0;
  /// Called by one thread at a time, in the order of the particles.
  virtual void append(std::span<const Crossing> crossings) = 0;
};

/// The end of one drift and the beginning of the next have the same bits of the positions, which are wrapped into the
/// box, and of the distance of the light. A crossing belongs to a drift if the image is nearer than the light at the
/// beginning of the drift but not at its end. A crossing at the boundary of two drifts thus belongs to exactly one.
class CrossingFinder {
 public:
  /// `period`: side of the periodic box, or 0 in a vacuum, where particles have no images. Finds only crossings with
  /// near <= distance < far. In a copy that is rotated or shifted, a particle that leaves through a face comes in again
  /// at the opposite one: it may then cross the light twice there, or never.
  CrossingFinder(const SkyView& view, double period, double near, double far, const ReplicaOptions& replicas = {});

  /// `factor`: of the drift for which `light` was made. Particles outside the periodic box are replaced by their images
  /// in it.
  void find(const ParticleStore& particles, const LightPath& light, double factor, CrossingSink& sink) const;

 private:
  struct Image {
    int x, y, z;
  };
  struct Copy {
    Image image;
    Replica replica;
  };
  /// Neighbouring particles, and a box that encloses their drift.
  struct Chunk {
    std::size_t first, last;
    Box box;
  };
  class Search;

  /// From a position in the box to the image's position relative to the observer.
  [[nodiscard]] Vec3d shift(const Image& image) const {
    return Vec3d{image.x * period_, image.y * period_, image.z * period_} - view_.observer;
  }
  [[nodiscard]] std::vector<Chunk> chunks_of(const ParticleStore& particles, double factor) const;
  /// Whether particles in the box, moved by `shift`, may cross the light cone.
  [[nodiscard]] bool may_cross(const Box& box, Vec3d shift, const LightPath& light) const;
  [[nodiscard]] std::vector<Copy> copies_of(const Box& box, const LightPath& light) const;
  /// A box that encloses what is in this box, where a copy puts it.
  [[nodiscard]] Box placed(const Box& box, const Replica& replica) const;

  SkyView view_;
  double period_, near_, far_;
  ReplicaOptions replicas_;
};

}  // namespace multiwalk
