// SPDX-License-Identifier: GPL-3.0-or-later
// The particles that light on its way to an observer passes: each image of each particle crosses the observer's past
// light cone exactly once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/sky/light_path.hpp"
#include "analysis/sky/sky_view.hpp"
#include "host/base/box.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// An image of a particle when light passes it. Vectors are in the frame of the sky.
struct Crossing {
  Vec3d position;   ///< relative to the observer, comoving Mpc/h
  double distance;  ///< norm of the position, up to rounding
  double a;         ///< expansion factor
  Vec3f momentum;   ///< p = a^2 dx/dt of the drift, which is that of the middle of the particle's own step
  float mass;
  std::uint64_t id;
};

class CrossingSink {
 public:
  virtual ~CrossingSink() = default;
  /// Called by several threads at a time, in any order.
  virtual void count(std::span<const Crossing> crossings) = 0;
  /// Whether append() is wanted: threads then wait for each other.
  [[nodiscard]] virtual bool in_order() const = 0;
  /// Called by one thread at a time, in the order of the particles.
  virtual void append(std::span<const Crossing> crossings) = 0;
};

/// Between two drifts of a particle, positions wrapped into the box and distances of the light have the same bits at
/// the end of one and the beginning of the next, and a crossing belongs to the drift at whose beginning the image is
/// nearer than the light and at whose end it is not. So a crossing at the border of two drifts belongs to one of them.
class CrossingFinder {
 public:
  /// `period`: side of the periodic box, or 0 in a vacuum, where particles have no images. Crossings are sought at
  /// near <= distance < far.
  CrossingFinder(const SkyView& view, double period, double near, double far);

  /// `factor`: that of the drift which the light's path belongs to. Positions must lie in the box.
  void find(const ParticleStore& particles, const LightPath& light, double factor, CrossingSink& sink) const;

 private:
  struct Image {
    int x, y, z;
  };
  /// Neighbouring particles with the box in which they drift.
  struct Chunk {
    std::size_t first, last;
    Box box;
  };
  class Search;

  [[nodiscard]] Vec3d shift(int x, int y, int z) const;
  [[nodiscard]] std::vector<Chunk> chunks_of(const ParticleStore& particles, double factor) const;
  /// Whether particles in the box, moved by `shift`, may meet the light.
  [[nodiscard]] bool may_cross(const Box& box, Vec3d shift, const LightPath& light) const;
  [[nodiscard]] std::vector<Image> images_of(const Box& box, const LightPath& light) const;

  SkyView view_;
  double period_, near_, far_;
};

}  // namespace multiwalk
