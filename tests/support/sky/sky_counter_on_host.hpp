// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of the sky in host memory, to which crossings are added as a device adds them.
#pragma once

#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "host/sky/sky_counter.hpp"
#include "host/sky/sky_pixel.hpp"
#include "tests/support/sky/passing_on_host.hpp"

namespace multiwalk::test {

class SkyCounterOnHost final : public SkyCounter {
 public:
  explicit SkyCounterOnHost(const ParticleStore& store) : store_(store) {}

  bool refuses = false;
  std::uint64_t counted = 0, in_doubt = 0, fast = 0;

  bool open(std::span<const SkyRange> shells, const SkyForm& form) override {
    if (refuses) return false;
    form_ = form;
    for (const SkyRange& shell : shells) maps_.try_emplace(shell.number, Map{shell, sums(), sums()});
    return true;
  }
  UncountedCrossings count(const SkySearch& search) override {
    UncountedCrossings left;
    const LightSweep& light = search.rules.light;
    if (!search.copies.empty()) left.fast.take_from(*passing_on_host({light, search.copies}, store_), light);
    for (std::size_t i = 0; i < store_.size(); ++i) {
      if (norm(light.factor * widened(store_.velocity[i])) > light.light_way) continue;
      for (const PassageCopy& copy : search.copies) add(search.rules, copy, i, left);
    }
    fast += left.fast.index.size();
    in_doubt += left.in_doubt.size();
    return left;
  }
  bool take(std::uint32_t shell, const Piece& act) override {
    const auto map = maps_.find(shell);
    if (map == maps_.end()) return false;
    const std::vector<std::uint32_t> counts(map->second.counts.begin(), map->second.counts.end());
    act(0, counts,
        form_.velocities ? std::span<const std::int64_t>(map->second.velocities) : std::span<const std::int64_t>());
    maps_.erase(map);
    return true;
  }

 private:
  using Sums = std::vector<std::int64_t>;
  struct Map {
    SkyRange range;
    Sums counts, velocities;
  };
  [[nodiscard]] Sums sums() const { return Sums(std::size_t{12} * form_.nside * form_.nside); }

  void add(const CrossingRules& rules, const PassageCopy& copy, std::size_t i, UncountedCrossings& left) {
    const Vec3f v = store_.velocity[i];
    const LightSweep& light = rules.light;
    Crossing c;
    const Vec3d x = in_box(store_.position[i], light.period);
    if (!may_pass(light, copy, x, norm(light.factor * widened(v)))) return;
    const WayInCopy way = way_in_copy(store_.position[i], v, light.factor, light.period, copy.replica);
    if (!crosses_in_copy(rules, copy, way, v, c)) return;
    for (auto& [number, map] : maps_) {
      if (!(c.distance >= map.range.near && c.distance < map.range.far)) continue;
      const SkyPlace place = sky_place(c.position.x, c.position.y, c.position.z, form_.nside);
      if (place.in_doubt()) return left.in_doubt.push_back(c);
      const std::uint32_t pixel = sky_pixel(place.falling, place.rising, form_.nside, std::countr_zero(form_.nside));
      ++map.counts[pixel];
      map.velocities[pixel] += std::llrint(radial_velocity(c) / sky_velocity_unit);
      ++counted;
    }
  }

  const ParticleStore& store_;
  SkyForm form_;
  std::map<std::uint32_t, Map> maps_;
};

}  // namespace multiwalk::test
