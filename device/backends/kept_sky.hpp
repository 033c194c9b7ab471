// SPDX-License-Identifier: GPL-3.0-or-later
// Maps of the sky on the back end's only device, to which it adds the kept particles that cross the light.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "device/backends/device_set.hpp"
#include "device/base/pinned_memory.hpp"
#include "device/particles/crossings.cuh"
#include "host/particles/particle_store.hpp"
#include "host/sky/sky_counter.hpp"

namespace multiwalk {

class KeptStore;

class KeptSky final : public SkyCounter {
 public:
  /// `store`: null while nothing is kept. All must outlive it.
  KeptSky(DeviceSet& devices, KeptStore& kept, ParticleStore* const& store)
      : devices_(devices),
        kept_(kept),
        store_(store),
        copies_(devices.first().memory),
        in_doubt_(devices.first().memory),
        number_(devices.first().memory) {}

  bool open(std::span<const SkyRange> shells, const SkyForm& form) override;
  UncountedCrossings count(const SkySearch& search) override;
  bool take(std::uint32_t shell, const Piece& act) override;

 private:
  struct Map {
    SkyRange range;
    DeviceBuffer<std::uint32_t> counts;
    DeviceBuffer<unsigned long long> velocities;
  };
  /// Numbers of crossings in doubt and of particles faster than light.
  using Numbers = std::array<std::uint32_t, 2>;

  [[nodiscard]] std::size_t pixels() const { return std::size_t{12} * form_.nside * form_.nside; }
  [[nodiscard]] std::size_t bytes_of_map() const;
  [[nodiscard]] bool fits(std::size_t more) const;
  [[nodiscard]] bool make_map(const SkyRange& range);
  void release(Map& map) const;
  [[nodiscard]] CrossingCount described(const SkySearch& search) const;
  /// Counts the crossings of the kept particles first ... first + n - 1 in all copies.
  Numbers count_of(const SkySearch& search, std::size_t first, std::size_t n, bool only_in_doubt) const;
  /// Adds the crossings in doubt of these particles to `found`. `number`: how many the last count found.
  void collect_in_doubt(const SkySearch& search, std::size_t first, std::size_t n, std::uint32_t number,
                        std::vector<Crossing>& found) const;

  DeviceSet& devices_;
  KeptStore& kept_;
  ParticleStore* const& store_;
  SkyForm form_;
  std::vector<Map> maps_;
  std::size_t most_bytes_ = 0;  ///< the most that all maps have taken at once
  DeviceBuffer<PassageCopy> copies_;
  DeviceBuffer<Crossing> in_doubt_;
  DeviceBuffer<std::uint32_t> number_;
  PinnedBuffer<std::uint32_t> counts_home_[2];
  PinnedBuffer<std::int64_t> velocities_home_[2];
};

}  // namespace multiwalk
