#include "host/particles/particle_store.hpp"

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

template <class T>
void gather(std::vector<T>& values, std::span<const std::uint32_t> order, AlignedBuffer<std::byte>& scratch) {
  T* moved = reinterpret_cast<T*>(scratch.reserve(values.size() * sizeof(T)));
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < order.size(); ++i) values[i] = moved[i];
  }
}

}  // namespace

void ParticleStore::resize(std::size_t n) {
  position.resize(n);
  velocity.resize(n);
  mass.resize(n);
  id.resize(n);
  acceleration.resize(n);
  potential.resize(n);
  work.resize(n);
  key.resize(n);
}

void ParticleStore::reorder(std::span<const std::uint32_t> order, AlignedBuffer<std::byte>& scratch) {
  require(order.size() == size(), "reorder: permutation of another length");
  gather(position, order, scratch);
  gather(velocity, order, scratch);
  gather(mass, order, scratch);
  gather(id, order, scratch);
  gather(acceleration, order, scratch);
  gather(potential, order, scratch);
  gather(work, order, scratch);
  gather(key, order, scratch);
}

Box bounding_box(std::span<const Vec3d> position) {
  Box box;
#pragma omp parallel
  {
    Box mine;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < position.size(); ++i) mine.include(position[i]);
#pragma omp critical
    box.include(mine);
  }
  return box;
}

}  // namespace multiwalk
