// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/particle_memory.hpp"

#include <atomic>
#include <new>

#include "host/threads/fork.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t large = std::size_t{1} << 20;
constexpr std::align_val_t alignment{64};

std::atomic<ParticleMemory*> memory_source{nullptr};
std::atomic<unsigned> chosen_at{0};  ///< fork_count()

}  // namespace

void use_particle_memory(ParticleMemory& memory) {
  memory_source = &memory;
  chosen_at = fork_count();
}

void* allocate_particles(std::size_t bytes) {
  // What a device locked for another process is of no use to this one.
  ParticleMemory* memory = bytes >= large && chosen_at == fork_count() ? memory_source.load() : nullptr;
  void* data = memory != nullptr ? memory->allocate(bytes) : nullptr;
  return data != nullptr ? data : ::operator new(bytes, alignment);
}

void deallocate_particles(void* data, std::size_t bytes) noexcept {
  ParticleMemory* memory = bytes >= large ? memory_source.load() : nullptr;
  if (memory == nullptr || !memory->deallocate(data)) ::operator delete(data, alignment);
}

}  // namespace multiwalk
