// SPDX-License-Identifier: GPL-3.0-or-later
// Particles that a caller holds in another form: a device takes them and returns their results piece by piece, while
// other pieces are converted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "host/base/box.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/number_array.hpp"
#include "host/particles/particle_store.hpp"

namespace multiwalk {

/// The arrays of a feed as they are, with the factors that convert them; a device may be able to read and write them.
struct RawArrays {
  NumberArray position, mass, previous;    ///< (3 N), (N), (3 N) or empty
  double length = 1, weight = 1, old = 1;  ///< factors of these to internal units
  ResultArrays results;                    ///< (N)
  double pull = 1, energy = 1;             ///< factors of accelerations and potentials to the caller's units
};

/// What a device found in an array that it read itself.
struct FoundNumbers {
  bool usable = true;
  Box box{};  ///< of positions
  double mass = 0, heaviest = 0;
};

/// Several threads call give_... and take_results at once, each for pieces of its own, in any order; a piece begins at
/// a multiple of `part`. One thread calls end_... when all pieces of a kind have been given; positions come first. All
/// may be asked for again, beginning with positions.
class ParticleFeed {
 public:
  static constexpr std::size_t part = 2048;

  virtual ~ParticleFeed() = default;

  /// Null if the particles are available only through give_... and take_results.
  [[nodiscard]] virtual const RawArrays* raw() const { return nullptr; }
  /// Called in place of give_..., before end_...; only for a feed with raw arrays.
  virtual void found_positions(const FoundNumbers&) {}
  virtual void found_masses(const FoundNumbers&) {}
  virtual void found_accelerations(const FoundNumbers&) {}
  /// Called in place of take_results: all results are in the raw arrays.
  virtual void wrote_results(bool /*finite*/) {}

  /// One thread calls it before the first give_... and before take_results; throws if there is no memory.
  virtual void begin_giving() {}
  /// Whether any old acceleration is not zero: the relative criterion needs them.
  [[nodiscard]] virtual bool knows_accelerations() const = 0;
  /// position[k] becomes that of particle first + k. Like all of give_..., it does not throw.
  virtual void give_positions(std::size_t first, std::span<Vec3d> position) = 0;
  /// The tight box of all positions. Throws InputError if one cannot be used.
  virtual Box end_positions() = 0;
  virtual void give_masses(std::size_t first, std::span<float> mass) = 0;
  /// Throws InputError if a mass, or all particles together, cannot be used.
  virtual void end_masses() = 0;
  /// Zeros if there are none.
  virtual void give_accelerations(std::size_t first, std::span<Vec3f> acceleration) = 0;
  /// Throws InputError if one cannot be used.
  virtual void end_accelerations() = 0;
  /// Results of particles first, first + 1, ... They arrive this way only if they need not pass through the store.
  virtual void take_results(std::size_t first, std::span<const Vec3f> acceleration,
                            std::span<const float> potential) = 0;
};

/// Writes all particles to a store of their number. Throws InputError as they do.
inline void fill(ParticleStore& particles, ParticleFeed& feed) {
  const auto in_parts = [](auto to, const auto& give) {
    const std::size_t parts = (to.size() + ParticleFeed::part - 1) / ParticleFeed::part;
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t first = k * ParticleFeed::part;
      give(first, to.subspan(first, std::min(ParticleFeed::part, to.size() - first)));
    }
  };
  feed.begin_giving();
  in_parts(std::span(particles.position), [&](std::size_t first, auto to) { feed.give_positions(first, to); });
  feed.end_positions();
  in_parts(std::span(particles.mass), [&](std::size_t first, auto to) { feed.give_masses(first, to); });
  feed.end_masses();
  in_parts(std::span(particles.acceleration), [&](std::size_t first, auto to) { feed.give_accelerations(first, to); });
  feed.end_accelerations();
}

}  // namespace multiwalk
