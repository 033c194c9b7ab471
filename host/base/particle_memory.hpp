// SPDX-License-Identifier: GPL-3.0-or-later
// Where the particle arrays live: plain memory, or page-locked memory from which a device copies at full speed.
#pragma once

#include <cstddef>
#include <vector>

#include "host/base/untouched_allocator.hpp"

namespace multiwalk {

/// A source of memory for large arrays; every thread may call it.
class ParticleMemory {
 public:
  virtual ~ParticleMemory() = default;
  /// Aligned to 64 bytes. Null if none is left; plain memory is used then.
  virtual void* allocate(std::size_t bytes) noexcept = 0;
  /// False if the array is not from this source.
  virtual bool deallocate(void* data) noexcept = 0;
};

/// Arrays of 1 MiB or more made from now on come from `memory`, which must live as long as the program.
void use_particle_memory(ParticleMemory& memory);

void* allocate_particles(std::size_t bytes);
void deallocate_particles(void* data, std::size_t bytes) noexcept;

struct ParticlePages {
  static void* allocate(std::size_t bytes) { return allocate_particles(bytes); }
  static void deallocate(void* data, std::size_t bytes) noexcept { deallocate_particles(data, bytes); }
};

/// (N) one value per particle; uninitialised after a resize.
template <class T>
using ParticleArray = std::vector<T, UntouchedAllocator<T, ParticlePages>>;

}  // namespace multiwalk
