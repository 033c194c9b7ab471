// SPDX-License-Identifier: GPL-3.0-or-later
// The isotropic distribution function of a sphere in the potential of a whole galaxy: Eddington (1916).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "ic/galaxies/galaxy_potential.hpp"
#include "ic/power/power_table.hpp"

namespace multiwalk {

/// f(E) of halo or bulge in mass per phase-space volume (G = 1), tabulated.
class DistributionFunction {
 public:
  /// Throws InputError if f is not positive everywhere: no isotropic equilibrium exists. Throws Error if GSL fails.
  DistributionFunction(const SphericalProfile& spheroid, const GalaxyPotential& potential);

  /// At the energy that lies `depth` below escape and `climb` above the centre; 0 for what is not bound.
  [[nodiscard]] double operator()(double climb, double depth) const;

  /// A speed at radius r, by rejection under a tabulated bound. `draw(attempt)` gives two numbers in [0, 1).
  template <class Draw>
  [[nodiscard]] double speed(const GalaxyPotential& potential, double r, const Draw& draw) const {
    const double inside = within(r), bound = bound_(inside);
    const double depth = potential.depth(inside), climb = potential.climb(inside);
    for (std::uint64_t attempt = 0;; ++attempt) {
      const auto [first, second] = draw(attempt);
      const double v2 = 2 * depth * first * first;
      if (bound * second < v2 * (*this)(climb + v2 / 2, depth - v2 / 2)) return std::sqrt(v2);
    }
  }

 private:
  [[nodiscard]] double within(double r) const;
  [[nodiscard]] std::vector<double> bounds(const GalaxyPotential& potential) const;

  std::vector<double> radii_;    ///< of the table; nothing of the spheroid is beyond
  double deepest_, shallowest_;  ///< climb / depth at its ends
  LogSpline f_;                  ///< over climb / depth, smooth in the centre and at the edge
  LogSpline bound_;              ///< of v^2 f(E), over r
};

}  // namespace multiwalk
