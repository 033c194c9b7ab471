// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that someone else holds in another form: a device takes them, and gives back their results, a piece at a
// time, while the host converts the next piece.
#pragma once

#include <cstddef>
#include <span>

#include "host/base/box.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// One thread calls these functions, all threads of its team do the work. Pieces of N particles come in rising order
/// and begin at multiples of `part`; all may be asked for again, from the first on.
class ParticleFeed {
 public:
  static constexpr std::size_t part = 2048;

  virtual ~ParticleFeed() = default;

  /// Whether any old acceleration is not zero: the relative criterion needs them.
  [[nodiscard]] virtual bool knows_accelerations() const = 0;
  /// position[k] becomes that of particle first + k.
  virtual void give_positions(std::size_t first, std::span<Vec3d> position) = 0;
  /// The tight box of all positions, after the last piece. Throws InputError if one cannot be used.
  virtual Box end_positions() = 0;
  /// As give_positions; old accelerations only if the array is not empty.
  virtual void give_rest(std::size_t first, std::span<float> mass, std::span<Vec3f> acceleration) = 0;
  /// After the last piece. Throws InputError if an element, or all together, cannot be used.
  virtual void end_rest() = 0;
  /// Results of particles first, first + 1, ... They arrive this way only if they need not pass through the store.
  virtual void take_results(std::size_t first, std::span<const Vec3f> acceleration,
                            std::span<const float> potential) = 0;
};

/// Writes all particles to a store of their number. Throws InputError as they do.
inline void fill(ParticleStore& particles, ParticleFeed& feed) {
  feed.give_positions(0, particles.position);
  feed.end_positions();
  feed.give_rest(0, particles.mass, particles.acceleration);
  feed.end_rest();
}

}  // namespace multiwalk
