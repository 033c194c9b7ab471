// SPDX-License-Identifier: GPL-3.0-or-later
// Where the particle arrays live: plain memory, or page-locked memory from which a device copies at full speed.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

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

template <class T>
struct ParticleAllocator {
  using value_type = T;

  ParticleAllocator() = default;
  template <class U>
  ParticleAllocator(const ParticleAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(allocate_particles(n * sizeof(T))); }
  void deallocate(T* data, std::size_t n) noexcept { deallocate_particles(data, n * sizeof(T)); }
  /// Elements that resize adds stay uninitialised, so that the threads that write them first also place their pages.
  template <class Element>
  void construct(Element*) noexcept {
    static_assert(std::is_trivially_copyable_v<Element>);
  }
  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(const ParticleAllocator&, const ParticleAllocator&) { return true; }
};

/// (N) one value per particle; uninitialised after a resize.
template <class T>
using ParticleArray = std::vector<T, ParticleAllocator<T>>;

}  // namespace multiwalk
