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
#include "host/sky/crossing.hpp"
#include "host/sky/sky_counter.hpp"

namespace multiwalk {

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

/// The particles among which crossings are sought.
struct SoughtParticles {
  std::span<const Vec3d> position;
  std::span<const Vec3f> velocity;
  std::span<const float> mass;           ///< empty: the masses and ids of crossings are 0
  std::span<const std::uint64_t> id;     ///< empty under the same condition
  std::span<const std::uint32_t> index;  ///< rising places in a store; empty: all particles of a store are here

  static SoughtParticles all_of(const ParticleStore& store) {
    return {store.position, store.velocity, store.mass, store.id, {}};
  }
  [[nodiscard]] std::size_t size() const { return position.size(); }
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
  /// in it. Some particles of a store yield the same crossings, in the same order, as all of them, if they include
  /// those that may pass.
  void find(const SoughtParticles& particles, const LightPath& light, double factor, CrossingSink& sink) const;
  void find(const ParticleStore& particles, const LightPath& light, double factor, CrossingSink& sink) const {
    find(SoughtParticles::all_of(particles), light, factor, sink);
  }
  /// For the choice of the particles that may pass.
  [[nodiscard]] Passage passage(const LightPath& light, double factor) const;
  /// For a device that counts crossings itself.
  [[nodiscard]] SkySearch search(const LightPath& light, double factor) const;

 private:
  struct Image {
    int x, y, z;
  };
  struct Copy {
    Image image;
    Replica replica;
  };
  /// Neighbours in the store, and a box that encloses their drift. It may be empty.
  struct Chunk {
    std::size_t first = 0, last = 0;
    Box box;
  };
  class Search;

  /// From a position in the box to the image's position relative to the observer.
  [[nodiscard]] Vec3d shift(const Image& image) const {
    return shift_of_image(image.x, image.y, image.z, period_, view_.observer);
  }
  class Blocks;
  /// Whether the light is in the cone during a part of the drift.
  [[nodiscard]] bool reaches(const LightPath& light) const;
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
