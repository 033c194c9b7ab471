// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/unbinding.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "analysis/subhalos/potential.hpp"
#include "host/base/units.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t least_frame = 10;  ///< particles whose mean is the frame

class Unbinding {
 public:
  Unbinding(std::span<const Member> members, std::vector<std::uint32_t> candidates, const UnbindingOptions& options)
      : members_(members), options_(options), left_(std::move(candidates)) {}

  BoundSet operator()(std::size_t known) {
    if (left_.size() >= options_.min_bound) {
      sums_ = inverse_distance_sums(members_, left_, options_.softening);
      if (known > 0) {
        place_frame(std::span(left_).first(std::max(known / 2, std::min(known, least_frame))));
      } else {
        place_frame(lowest(left_.size() / 10, [&](std::size_t k) { return -sums_[k]; }));
      }
      while (remove_unbound() && left_.size() >= options_.min_bound)
        place_frame(lowest(left_.size() / 2, [&](std::size_t k) { return energy_[k]; }));
    }
    BoundSet set;
    set.bound = left_.size() >= options_.min_bound ? left_.size() : 0;
    set.member = by_energy();
    set.member.insert(set.member.end(), removed_.rbegin(), removed_.rend());
    set.centre = static_cast<Vec3f>(centre_);
    set.velocity = static_cast<Vec3f>(velocity_);
    return set;
  }

 private:
  /// Selects the `number` particles left whose value(place in left_) is lowest.
  template <class Value>
  [[nodiscard]] std::vector<std::uint32_t> lowest(std::size_t number, Value value) const {
    std::vector<std::uint32_t> places(left_.size());
    std::iota(places.begin(), places.end(), 0U);
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return value(a) != value(b) ? value(a) < value(b) : left_[a] < left_[b];
    };
    number = std::clamp(number, std::min<std::size_t>(least_frame, places.size()), places.size());
    std::ranges::nth_element(places, places.begin() + static_cast<std::ptrdiff_t>(number - 1), before);
    places.resize(number);
    std::ranges::sort(places);  // one order of sums
    for (std::uint32_t& place : places) place = left_[place];
    return places;
  }

  void place_frame(std::span<const std::uint32_t> of) {
    Vec3d place, velocity;
    double mass = 0;
    for (const std::uint32_t i : of) {
      const Member& m = members_[i];
      const auto weight = static_cast<double>(m.mass);
      mass += weight;
      place += weight * static_cast<Vec3d>(m.place);
      velocity += weight * static_cast<Vec3d>(m.velocity);
    }
    centre_ = mass > 0 ? (1 / mass) * place : Vec3d{};
    velocity_ = mass > 0 ? (1 / mass) * velocity : Vec3d{};
  }

  [[nodiscard]] double energy(std::size_t k) const {
    const Member& m = members_[left_[k]];
    const Vec3d flow = options_.hubble * options_.a * (static_cast<Vec3d>(m.place) - centre_);
    return 0.5 * norm2(static_cast<Vec3d>(m.velocity) - velocity_ + flow) -
           units::gravitational_constant / options_.a * static_cast<double>(sums_[k]);
  }

  /// False when the rest counts as bound.
  bool remove_unbound() {
    const std::size_t before = left_.size();
    energy_.resize(before);
    for (std::size_t k = 0; k < before; ++k) energy_[k] = energy(k);
    std::vector<std::uint32_t> removed;
    std::vector<std::pair<double, std::uint32_t>> ordered;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < before; ++k) {
      if (energy_[k] >= 0) {
        ordered.emplace_back(-energy_[k], left_[k]);
        continue;
      }
      left_[kept] = left_[k];
      sums_[kept] = sums_[k];
      energy_[kept++] = energy_[k];
    }
    std::ranges::sort(ordered);
    for (const auto& [minus_energy, member] : ordered) removed.push_back(member);
    left_.resize(kept);
    sums_.resize(kept);
    energy_.resize(kept);
    removed_.insert(removed_.end(), removed.begin(), removed.end());
    if (static_cast<double>(removed.size()) <= options_.converged * static_cast<double>(before)) return false;
    renew_sums(removed);
    return true;
  }

  void renew_sums(std::span<const std::uint32_t> removed) {
    constexpr std::size_t sources_of_walk = 500;
    if (removed.size() < std::min(left_.size(), sources_of_walk)) {
      subtract_members(members_, left_, removed, options_.softening, sums_);
    } else {
      sums_ = inverse_distance_sums(members_, left_, options_.softening);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> by_energy() const {
    if (energy_.size() != left_.size()) return left_;  // too few from the start
    std::vector<std::uint32_t> places(left_.size()), ordered;
    std::iota(places.begin(), places.end(), 0U);
    std::ranges::sort(places, [&](std::uint32_t a, std::uint32_t b) {
      return energy_[a] != energy_[b] ? energy_[a] < energy_[b] : left_[a] < left_[b];
    });
    for (const std::uint32_t k : places) ordered.push_back(left_[k]);
    return ordered;
  }

  std::span<const Member> members_;
  const UnbindingOptions& options_;
  std::vector<std::uint32_t> left_, removed_;
  std::vector<float> sums_;     ///< (left)
  std::vector<double> energy_;  ///< (left) of the last pass
  Vec3d centre_, velocity_;
};

}  // namespace

BoundSet unbind(std::span<const Member> members, std::vector<std::uint32_t> candidates, std::size_t known,
                const UnbindingOptions& options) {
  return Unbinding(members, std::move(candidates), options)(known);
}

}  // namespace multiwalk
