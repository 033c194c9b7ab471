// SPDX-License-Identifier: GPL-3.0-or-later
// Structure of arrays for the particles one process owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>

#include "host/base/aligned_buffer.hpp"
#include "host/base/box.hpp"
#include "host/base/particle_memory.hpp"
#include "host/base/vec3.hpp"
#include "host/particles/kick.hpp"

namespace multiwalk {

/// Spare arrays, one of each type; they change places with those of a store when it is reordered.
using ReorderScratch = std::tuple<ParticleArray<Vec3d>, ParticleArray<Vec3f>, ParticleArray<float>,
                                  ParticleArray<std::uint64_t>, ParticleArray<std::uint8_t>>;

/// All arrays have the same length N, except that the last two are empty without block steps. Units: internal
/// (host/base/units.hpp) for comoving runs, otherwise G = 1.
struct ParticleStore {
  static constexpr std::size_t spare_for_speed = std::size_t{1} << 30;  ///< bytes

  ParticleArray<Vec3d> position;      ///< (N) comoving Mpc/h
  ParticleArray<Vec3f> velocity;      ///< (N) comoving runs: canonical p = a^2 dx/dt, km/s; else dx/dt
  ParticleArray<float> mass;          ///< (N) 1e10 Msun/h
  ParticleArray<std::uint64_t> id;    ///< (N) unique over all ranks
  ParticleArray<Vec3f> acceleration;  ///< (N) G sum m d/R^3 in comoving coordinates
  ParticleArray<float> potential;     ///< (N) -G sum m/R, own pair excluded
  ParticleArray<float> work;         ///< (N) interactions since the last evaluation for all particles, for load balance
  ParticleArray<std::uint64_t> key;  ///< (N) space-filling-curve key, set by sort_by_key
  ParticleArray<Vec3f> long_range;  ///< (N) the part of the acceleration that acts once per block (host/time/rungs.hpp)
  ParticleArray<std::uint8_t> rung;  ///< (N) k: the particle's step is a block / 2^k

  [[nodiscard]] std::size_t size() const { return position.size(); }
  [[nodiscard]] bool empty() const { return position.empty(); }
  [[nodiscard]] bool has_rungs() const { return has_rungs_; }
  /// Allocates long_range and rung, filled with zeros, or frees them.
  void set_rungs(bool wanted);
  /// Calls act(name, array) for every array. This is the only list of them.
  template <class Act>
  void for_each_array(Act&& act) {
    visit(*this, act);
  }
  template <class Act>
  void for_each_array(Act&& act) const {
    visit(*this, act);
  }
  /// New elements are zero.
  void resize(std::size_t n);
  /// Like resize, but room beyond n is kept small and only one array at a time exists twice.
  void resize_tightly(std::size_t n);
  /// Element i becomes the old element order[i]; an empty array stays empty. The caller keeps `scratch`.
  void reorder(std::span<const std::uint32_t> order, ReorderScratch& scratch);
  /// Bytes of a scratch for n elements.
  [[nodiscard]] static std::size_t scratch_bytes(std::size_t n) {
    return n * (sizeof(Vec3d) + sizeof(Vec3f) + sizeof(float) + sizeof(std::uint64_t) + sizeof(std::uint8_t));
  }
  /// Reorders without lasting scratch memory, a little more slowly, or much more slowly if N is so large that 24 bytes
  /// per element exceed `most_spare`. Takes reorder_bytes(N) for the duration of the call.
  void reorder(std::span<const std::uint32_t> order, std::size_t most_spare = spare_for_speed);
  [[nodiscard]] static std::size_t reorder_bytes(std::size_t n, std::size_t most_spare = spare_for_speed);
  /// Moves every array to new memory, after use_particle_memory; only one array at a time exists twice.
  void reallocate();
  /// Removes elements (rising indices); the others keep their order. Little extra memory.
  void remove(std::span<const std::uint32_t> indices);

 private:
  bool has_rungs_ = false;

  template <class Store, class Act>
  static void visit(Store& store, Act& act) {
    act("position", store.position);
    act("velocity", store.velocity);
    act("mass", store.mass);
    act("id", store.id);
    act("acceleration", store.acceleration);
    act("potential", store.potential);
    act("work", store.work);
    act("key", store.key);
    if (!store.has_rungs_) return;
    act("long_range", store.long_range);
    act("rung", store.rung);
  }
};

/// Takes an array out of a store while the store is reordered, and puts it back unchanged.
template <class T>
class SetAside {
 public:
  explicit SetAside(ParticleArray<T>& array) : array_(array), kept_(std::move(array)) { array_.clear(); }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;
  ~SetAside() { array_ = std::move(kept_); }

 private:
  ParticleArray<T>& array_;
  ParticleArray<T> kept_;
};

/// Wraps positions into the periodic box, 0 <= x < side.
void wrap(ParticleStore& particles, double side);

/// acceleration + background x of particle i.
inline Vec3d peculiar_acceleration(const ParticleStore& particles, std::size_t i, double background) {
  return peculiar_pull(particles.acceleration[i], particles.position[i], background);
}

/// The smallest box that contains the positions.
Box bounding_box(std::span<const Vec3d> position);

}  // namespace multiwalk
