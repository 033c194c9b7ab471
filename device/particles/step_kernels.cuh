// SPDX-License-Identifier: GPL-3.0-or-later
// Kicks and drifts of particles that a device keeps, and their places.
#pragma once

#include <cstddef>

#include "device/base/stream.cuh"
#include "device/particles/store_copy.cuh"
#include "host/particles/kick_sums.hpp"

namespace multiwalk {

/// n kept particles in device memory.
struct KeptArrays {
  Vec3d* position;
  Vec3f* velocity;
  const Vec3f* acceleration;
  const float* mass;
  std::size_t n;

  KeptArrays(const StoreCopy& store, std::size_t count)
      : position(store.position.data()),
        velocity(store.velocity.data()),
        acceleration(store.acceleration.data()),
        mass(store.mass.data()),
        n(count) {}
};

/// Enqueues the kick and then the drift of kept particles.
void kick_and_drift(const KeptArrays& kept, double kick_factor, double background, double drift_factor,
                    const Stream& stream);

/// Enqueues: index[i] = i.
void number_particles(std::uint32_t* index, std::size_t n, const Stream& stream);
/// Enqueues: inverse[index[i]] = i.
void invert_order(const std::uint32_t* index, std::size_t n, std::uint32_t* inverse, const Stream& stream);

/// How many partial sums n particles need.
std::size_t parts_of_kick(std::size_t n);

/// Enqueues the kick of n > 0 kept particles, and sums over them: part[0] becomes the total of 1 + parts_of_kick(n)
/// elements. They are added in an order that depends on n alone.
void kick_and_sum(const KeptArrays& kept, const float* potential, double factor, double background, KickSums* part,
                  const Stream& stream);

}  // namespace multiwalk
