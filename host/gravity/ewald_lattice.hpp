// SPDX-License-Identifier: GPL-3.0-or-later
// The lattice of images of a periodic box (conventions: host/exact/ewald.hpp).
#pragma once

#include <vector>

#include "host/base/vec3.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// The correction that the lattice of a unit mass in a box of side 1 adds to the force and potential of its nearest
/// image, all softened alike.
class EwaldLattice {
 public:
  /// `alpha`, the inverse length of the split, changes the cost, not the sum: truncation and rounding stay below 1e-13
  /// for alpha from 2 to 4.
  explicit EwaldLattice(double softening = 0, double alpha = 3);

  /// d = x_source - x_target, each |component| at most 0.6. Analytic there: nothing is subtracted that diverges at 0.
  [[nodiscard]] ForceSum<double> correction(Vec3d d) const;

 private:
  /// Wave vectors (+-hx, +-hy, +-hz), and 2 exp(-pi^2 h^2/alpha^2)/h^2 times softened_wave and their number.
  struct Waves {
    int hx, hy, hz;
    double weight;
  };

  void add_images(Vec3d d, ForceSum<double>& sum) const;
  void add_waves(Vec3d d, ForceSum<double>& sum) const;

  double softening2_, alpha_, mean_;  ///< mean_: potential of the images' near parts
  double cut_;                        ///< images beyond cut_ are left to the waves
  int images_, waves_;                ///< largest component
  std::vector<Waves> wave_;
};

}  // namespace multiwalk
