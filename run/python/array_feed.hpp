// SPDX-License-Identifier: GPL-3.0-or-later
// The caller's arrays as the particles of a tree evaluation: they are checked and converted in one pass, piece by
// piece.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "host/force/particle_feed.hpp"
#include "run/python/array_forces.hpp"

namespace multiwalk {

/// Powers of two, so that a change of units changes no bit of a force.
struct Units {
  double length = 1, mass = 1;
};

class ArrayFeed final : public ParticleFeed {
 public:
  /// Totals of all particles, in the caller's units.
  struct Totals {
    double farthest = 0;  ///< half the diagonal of their box
    double mass = 0, heaviest = 0;
  };
  /// `judge` may throw InputError. Arrays and options must outlive the feed.
  ArrayFeed(const ForceArrays& arrays, const ArrayForceOptions& options, const Units& units,
            std::function<void(const Totals&)> judge);

  [[nodiscard]] bool knows_accelerations() const override;
  void give_positions(std::size_t first, std::span<Vec3d> position) override;
  Box end_positions() override;
  void give_masses(std::size_t first, std::span<float> mass) override;
  void end_masses() override;
  void give_accelerations(std::size_t first, std::span<Vec3f> acceleration) override;
  void end_accelerations() override;
  void take_results(std::size_t first, std::span<const Vec3f> acceleration, std::span<const float> potential) override;

  /// Takes the results from a store, whose ids are the indices of the caller's particles, unless they came by
  /// take_results.
  void take_store(const ParticleStore& particles);
  /// Whether results have come by take_results: the store has kept its order.
  [[nodiscard]] bool took_results() const { return took_; }
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
  /// Writes the result of particle i by store(to, value); returns whether it is finite.
  template <class Store>
  bool put(std::size_t i, Vec3f acceleration, float potential, const Store& store);
  /// The second half of end_...: throws InputError for the first element that cannot be used, if there is one.
  void refuse_unless(bool usable);

  ForceArrays arrays_;
  Units units_;
  std::function<void(const Totals&)> judge_;
  double period_;            ///< in internal units; 0: vacuum
  double old_factor_;        ///< from the caller's units to internal ones, for old accelerations; 0: unknown
  double potential_factor_;  ///< from internal units to the caller's
  double pull_factor_;       ///< the same for accelerations
  std::vector<Part> positions_, masses_;  ///< of fixed size, so that sums do not depend on the number of threads
  std::atomic<bool> old_usable_ = true, took_ = false, finite_ = true;
  bool refused_ = false;
};

/// Throws InputError for the first element that cannot be used; positions are checked first, then masses, then old
/// accelerations.
void require_numbers(const ForceArrays& arrays);

/// The largest size of a position, a mass or an old acceleration: squares and sums stay finite.
inline constexpr double largest_number = 1e100;

}  // namespace multiwalk
