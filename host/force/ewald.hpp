// SPDX-License-Identifier: GPL-3.0-or-later
// Ewald summation in double precision: the truth for periodic boxes, without G.
// Conventions (Hernquist, Bouchet & Suto 1991, and GADGET; eq. 2.14b of the former has a misprint): every mass stands
// for its infinite cubic lattice of images less the mean density; the potential's mean over the box is zero. The
// nearest image is softened as in a vacuum (Plummer), all others are points, so with softening eps the mean of the
// potential is off by O((eps/L)^2 log). A particle's own images and its background pull it nowhere and give it the
// potential +2.837297 G m/L: they belong to its potential, the own pair does not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/vec3.hpp"
#include "host/force/pair_force.hpp"

namespace multiwalk {

/// What the lattice of a unit mass, in a box of side 1, adds to the pull and potential of its nearest image.
class EwaldLattice {
 public:
  /// `alpha`, the inverse length of the split, changes the cost, not the sum: truncation and rounding stay below 1e-13
  /// for alpha from 2 to 4.
  explicit EwaldLattice(double alpha = 3);

  /// d = x_source - x_target, each |component| at most 0.6. Analytic there: nothing is subtracted that diverges at 0.
  [[nodiscard]] ForceSum<double> correction(Vec3d d) const;

 private:
  /// Wave vectors (+-hx, +-hy, +-hz), and 2 exp(-pi^2 h^2/alpha^2)/h^2 times their number.
  struct Waves {
    int hx, hy, hz;
    double weight;
  };

  void add_images(Vec3d d, ForceSum<double>& sum) const;
  void add_waves(Vec3d d, ForceSum<double>& sum) const;

  double alpha_, cut_;  ///< images beyond cut_ are left to the waves
  int images_, waves_;  ///< largest component
  std::vector<Waves> wave_;
};

/// exact sums each pair anew (2 microseconds); tabulated interpolates (host/force/ewald_table.hpp, 40 ns) and is off by
/// at most 1e-6 of G m/L^2 a pair, 1.4e-7 rms, and by less than 5e-7 of the rms pull in a box that a lattice displaced
/// by 2 % of its spacing fills.
enum class EwaldMethod { tabulated, exact };

struct EwaldLaw {
  double box_size = 1;
  double softening = 0;
  EwaldMethod method = EwaldMethod::tabulated;
};

/// Sum over all sources and their images for one target; coordinates may lie outside the box. A source at the target's
/// place adds no acceleration; to the potential, its images and background and, if softened, m/eps.
ForceSum<double> ewald_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                           const EwaldLaw& law);

/// The same for the particles whose indices are given, in parallel.
std::vector<ForceSum<double>> ewald_sums(std::span<const Vec3d> position, std::span<const float> mass,
                                         std::span<const std::uint32_t> targets, const EwaldLaw& law);

}  // namespace multiwalk
