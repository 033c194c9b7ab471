// SPDX-License-Identifier: GPL-3.0-or-later
// The caller's arrays as the particles of a tree evaluation: they are checked and converted in one pass, piece by
// piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "host/base/large_memory.hpp"
#include "host/force/force_backend.hpp"
#include "host/force/particle_feed.hpp"
#include "run/python/array_forces.hpp"

namespace multiwalk {

/// Powers of two, so that a change of units changes no bit of a force.
struct Units {
  double length = 1, mass = 1;
};

/// The caller's arrays where the host can read them: the arrays themselves or, if they lie on a GPU, copies.
class HostArrays {
 public:
  /// Both must outlive it.
  HostArrays(const ForceArrays& arrays, ForceBackend& backend) : arrays_(arrays), backend_(backend) {}
  HostArrays(const HostArrays&) = delete;
  HostArrays& operator=(const HostArrays&) = delete;

  /// The first call makes copies of arrays on a GPU; it must not be in a parallel region, since it may throw.
  const ForceArrays& operator()();
  /// Position and mass of every stride-th particle of arrays on a GPU; later calls return the sample of the first.
  const ForceArrays& sample(std::size_t stride);
  /// Every stride-th point of one of the arrays on a GPU.
  NumberArray points(const NumberArray& of, std::size_t stride) { return copied(of, 3, stride, samples_); }
  /// The arrays have changed.
  void forget();
  /// Copies the results from host memory to the GPU.
  void send_results();

 private:
  using Memory = std::deque<LargeArray<std::byte>>;
  NumberArray copied(const NumberArray& from, std::size_t columns, std::size_t stride, Memory& memory);
  NumberArray masses(std::size_t stride, Memory& memory);

  const ForceArrays& arrays_;
  ForceBackend& backend_;
  bool copied_ = false;
  ForceArrays copies_, sample_;
  Memory memory_, samples_;
  LargeArray<std::byte> acceleration_, potential_;
};

class ArrayFeed final : public ParticleFeed {
 public:
  /// Totals of all particles, in the caller's units.
  struct Totals {
    double farthest = 0;  ///< half the diagonal of their box
    double mass = 0, heaviest = 0;
  };
  /// `judge` may throw InputError. Arrays, options and `at_home` must outlive the feed.
  ArrayFeed(const ForceArrays& arrays, HostArrays& at_home, const ArrayForceOptions& options, const Units& units,
            std::function<void(const Totals&)> judge);

  void begin_giving() override { static_cast<void>(at_home_()); }
  [[nodiscard]] bool knows_accelerations() const override;
  void give_positions(std::size_t first, std::span<Vec3d> position) override;
  Box end_positions() override;
  void give_masses(std::size_t first, std::span<float> mass) override;
  void end_masses() override;
  void give_accelerations(std::size_t first, std::span<Vec3f> acceleration) override;
  void end_accelerations() override;
  [[nodiscard]] const RawArrays* raw() const override { return &raw_; }
  void found_positions(const FoundNumbers& found) override;
  void found_masses(const FoundNumbers& found) override;
  void found_accelerations(const FoundNumbers& found) override { old_usable_ = found.usable; }
  void wrote_results(bool finite) override;
  void take_results(std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) override;

  /// Takes the results from a store, whose ids are the indices of the caller's particles, unless they came by
  /// take_results.
  void take_store(const ParticleStore& particles);
  /// Whether the results came without the store, which has then kept its order.
  [[nodiscard]] bool took_results() const { return took_; }
  /// Whether a device has written them to the caller's arrays.
  [[nodiscard]] bool wrote_results() const { return wrote_; }
  /// Whether one of end_... threw; the solver can then be used again.
  [[nodiscard]] bool refused() const { return refused_; }
  /// Throws InputError if a result was not finite.
  void require_finite() const;

 private:
  /// Found while a part of the positions or masses was converted.
  struct Part {
    Box box;
    double mass = 0, heaviest = 0;
    bool usable = true;
  };
  /// Writes a result by store(to, value); returns whether it is finite.
  template <class Point, class Number, class Store>
  bool put(Vec3f acceleration, float potential, Point& to_acceleration, Number& to_potential, const Store& store) const;
  /// The second half of end_...: throws InputError for the first element that cannot be used, if there is one.
  void refuse_unless(bool usable);

  ForceArrays arrays_;
  HostArrays& at_home_;
  Units units_;
  RawArrays raw_;
  std::function<void(const Totals&)> judge_;
  double period_;            ///< in internal units; 0: vacuum
  double old_factor_;        ///< from the caller's units to internal ones, for old accelerations; 0: unknown
  double potential_factor_;  ///< from internal units to the caller's
  double pull_factor_;       ///< the same for accelerations
  std::vector<Part> positions_, masses_;  ///< of fixed size, so that sums do not depend on the number of threads
  std::atomic<bool> old_usable_ = true, took_ = false, wrote_ = false, finite_ = true;
  bool refused_ = false;
};

/// Throws InputError for the first element that cannot be used; positions are checked first, then masses, then old
/// accelerations.
void require_numbers(const ForceArrays& arrays);

}  // namespace multiwalk
