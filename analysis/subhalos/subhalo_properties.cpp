// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/subhalos/subhalo_properties.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "host/base/units.hpp"

namespace multiwalk {

namespace {

void find_peak_and_half(std::vector<std::pair<double, double>> mass_at, double a, Subhalo& subhalo) {
  constexpr std::size_t fewest = 10;
  std::ranges::sort(mass_at);
  double within = 0, peak = 0;
  for (std::size_t k = 0; k < mass_at.size(); ++k) {
    const auto [radius, mass] = mass_at[k];
    within += mass;
    if (2 * within >= subhalo.mass && subhalo.half_mass_radius == 0) subhalo.half_mass_radius = radius;
    if (k + 1 < fewest || !(within > peak * radius) || !(radius > 0)) continue;
    peak = within / radius;
    subhalo.r_max = radius;
  }
  subhalo.v_max = std::sqrt(units::gravitational_constant * peak / a);
}

/// Means and dispersions of the most bound particles.
struct Core {
  Vec3d place, velocity;
  double spread = 0, dispersion = 0;

  Core(std::span<const Member> members, std::span<const std::uint32_t> core) {
    const double weight = 1 / static_cast<double>(core.size());
    for (const std::uint32_t i : core) {
      place += weight * static_cast<Vec3d>(members[i].place);
      velocity += weight * static_cast<Vec3d>(members[i].velocity);
    }
    for (const std::uint32_t i : core) {
      spread += weight * norm2(static_cast<Vec3d>(members[i].place) - place);
      dispersion += weight * norm2(static_cast<Vec3d>(members[i].velocity) - velocity);
    }
    spread = std::sqrt(spread);
    dispersion = std::sqrt(dispersion);
  }
};

}  // namespace

Subhalo describe_subhalo(std::span<const Member> members, const BoundSet& set, const UnbindingOptions& options) {
  Subhalo subhalo;
  const std::span<const std::uint32_t> bound = set.of_bound();
  const Member& first = members[bound.front()];
  subhalo.number = bound.size();
  subhalo.most_bound = first.id;
  subhalo.centre = static_cast<Vec3d>(first.place);
  for (const std::uint32_t i : bound) {
    const auto mass = static_cast<double>(members[i].mass);
    subhalo.mass += mass;
    subhalo.centre_of_mass += mass * static_cast<Vec3d>(members[i].place);
    subhalo.velocity += mass * static_cast<Vec3d>(members[i].velocity);
  }
  subhalo.centre_of_mass *= 1 / subhalo.mass;
  subhalo.velocity *= 1 / subhalo.mass;
  double square = 0;
  std::vector<std::pair<double, double>> mass_at;
  for (const std::uint32_t i : bound) {
    const double mass = static_cast<double>(members[i].mass), share = mass / subhalo.mass;
    const Vec3d place = static_cast<Vec3d>(members[i].place) - subhalo.centre;
    const Vec3d velocity = static_cast<Vec3d>(members[i].velocity) - subhalo.velocity;
    square += share * norm2(velocity);
    subhalo.spin += share * options.a * cross(place, velocity);
    mass_at.emplace_back(norm(place), mass);
  }
  subhalo.velocity_dispersion = std::sqrt(square / 3);
  find_peak_and_half(std::move(mass_at), options.a, subhalo);
  return subhalo;
}

double phase_space_distance(std::span<const Member> members, const BoundSet& set, const BoundSet& other) {
  constexpr std::size_t most = 20;
  const auto core = [&](const BoundSet& of) { return Core(members, of.of_bound().first(std::min(most, of.bound))); };
  const Core a = core(set), b = core(other);
  return norm(a.place - b.place) / b.spread + norm(a.velocity - b.velocity) / b.dispersion;
}

}  // namespace multiwalk
