// SPDX-License-Identifier: GPL-3.0-or-later
// Local interparticle spacing from counts on a pyramid of cubic cells; it sets how far a particle is smeared in an
// image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/box.hpp"
#include "host/base/vec3.hpp"

namespace multiwalk {

/// n(x)^(-1/3), with n from the smallest cells that contain enough particles, interpolated between cells and levels.
class LocalSpacing {
 public:
  /// Counts all ranks' particles inside `region`, in cells no finer than `finest`. Counts are exact and do not
  /// depend on the number of ranks and threads. Memory: at most 160 MB. Collective.
  LocalSpacing(std::span<const Vec3d> position, const Box& region, double finest, const Communicator& comm = {});

  /// Size of the counts in bytes for a number of particles.
  static double bytes(std::uint64_t particles);

  /// Spacing at a point of the region, at most the region's longest side.
  [[nodiscard]] double at(Vec3d point) const;
  /// (volume of the region / particles in it)^(1/3).
  [[nodiscard]] double mean() const { return mean_; }

 private:
  struct Level {
    std::int64_t size[3];
    double cell;
    double last[3];                    ///< fraction of the last cell that lies in the region
    std::vector<std::uint64_t> count;  ///< (size[2], size[1], size[0])
  };
  struct Near {
    double count, volume;  ///< volume in cells, without what lies outside the region
    [[nodiscard]] double spacing(double cell) const;
  };
  [[nodiscard]] Near near(const Level& level, Vec3d point) const;
  void count_particles(std::span<const Vec3d> position, const Box& region, double cell, const Communicator& comm);
  void add_level(Level level);
  void coarsen();

  Vec3d origin_, extent_;
  double longest_ = 0, mean_ = 0;
  std::vector<Level> levels_;
};

}  // namespace multiwalk
