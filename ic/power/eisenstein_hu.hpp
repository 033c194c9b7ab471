// SPDX-License-Identifier: GPL-3.0-or-later
// Transfer function of matter with baryon wiggles: Eisenstein & Hu (1998), equations 2 to 24.
#pragma once

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

class EisensteinHu {
 public:
  explicit EisensteinHu(const CosmologyParameters& cosmology);

  /// T(k) of total matter, k in h/Mpc; 1 on large scales.
  [[nodiscard]] double operator()(double k) const;

 private:
  double h_;
  double baryon_fraction_;
  double k_equality_, k_silk_;  ///< 1/Mpc
  double sound_horizon_;        ///< Mpc
  double alpha_c_, beta_c_, alpha_b_, beta_b_, beta_node_;
};

}  // namespace multiwalk
