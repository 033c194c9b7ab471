// SPDX-License-Identifier: GPL-3.0-or-later
// Growth of density perturbations to third order.
#pragma once

#include <memory>

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

/// D1 solves D'' + (3/a + dlnE/da) D' - 1.5 Omega_m a^-5 E^-2 D = 0 with D = a in the matter era. D2 is its
/// second-order companion (Scoccimarro 1998), D2 -> -3/7 D1^2 in an Einstein-de Sitter universe; the third order has
/// three more. All are solved by GSL's ODE solver and tabulated for 1e-8 <= a <= 1.25, or 1.25 `latest`; beyond, Error
/// is thrown. Throws InputError for a universe without a matter era, or one that does not expand that far.
class Growth {
 public:
  /// The terms of det phi1,ij, of phi1 with phi2, and of the transverse part: D3 -> 1/3, -10/21 and -1/7 D1^3 (Bouchet
  /// et al. 1995; Catelan 1995; signs of x = q - D1 grad phi1 + D2 grad phi2 + D3 ...).
  enum class Third { determinant, mixed, transverse };
  explicit Growth(const Expansion& expansion, double latest = 1);
  ~Growth();
  Growth(Growth&&) noexcept;
  Growth& operator=(Growth&&) noexcept;

  [[nodiscard]] double factor(double a) const;                    ///< D1(a), not normalised to 1 today
  [[nodiscard]] double rate(double a) const;                      ///< f1 = dlnD1/dlna
  [[nodiscard]] double second_factor(double a) const;             ///< D2(a), negative
  [[nodiscard]] double second_rate(double a) const;               ///< f2 = dlnD2/dlna
  [[nodiscard]] double third_factor(Third term, double a) const;  ///< D3(a)
  [[nodiscard]] double third_rate(Third term, double a) const;    ///< dlnD3/dlna

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace multiwalk
