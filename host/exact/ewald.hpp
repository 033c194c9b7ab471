// SPDX-License-Identifier: GPL-3.0-or-later
// Ewald summation in double precision, without G: the reference for periodic boxes. Conventions (Hernquist, Bouchet &
// Suto 1991, and GADGET; eq. 2.14b of the former has a misprint): every mass represents its infinite cubic lattice of
// images minus the mean density; the potential averages to zero over the box. All images are softened alike (Plummer).
// A particle's own images and its background exert no force on it and give it a potential, unsoftened +2.837297 G m/L,
// which is included; the own pair is not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/base/vec3.hpp"
#include "host/gravity/ewald_lattice.hpp"
#include "host/gravity/ewald_table.hpp"
#include "host/gravity/pair_force.hpp"

namespace multiwalk {

/// `exact` sums the images of each pair (2 microseconds). `tabulated` interpolates (host/gravity/ewald_table.hpp, 40
/// ns); its error is at most 1e-6 of G m/L^2 per pair, 1.4e-7 rms, and below 5e-7 of the rms acceleration in a box
/// filled by a lattice with displacements of 2 % of its spacing.
enum class EwaldMethod { tabulated, exact };

struct EwaldLaw {
  double box_size = 1;
  double softening = 0;
  EwaldMethod method = EwaldMethod::tabulated;
};

/// Sums over sources and their images; coordinates may be outside the box. A source at the target's position adds no
/// acceleration; to the potential it adds that of its images and background and, if softened, m/eps.
class EwaldSum {
 public:
  /// Makes the table or the lattice of this law.
  explicit EwaldSum(const EwaldLaw& law);

  ForceSum<double> operator()(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target) const;

 private:
  [[nodiscard]] ForceSum<double> exact_sum(std::span<const Vec3d> position, std::span<const float> mass,
                                           Vec3d target) const;

  EwaldLaw law_;
  std::shared_ptr<const EwaldTable> table_;  ///< null: exact
  std::optional<EwaldLattice> lattice_;      ///< if exact
};

/// The sum for one target.
ForceSum<double> ewald_sum(std::span<const Vec3d> position, std::span<const float> mass, Vec3d target,
                           const EwaldLaw& law);

}  // namespace multiwalk
