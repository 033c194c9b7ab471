// Linear matter power spectrum today: Eisenstein & Hu (1998) or a Boltzmann code's table.
#pragma once

#include <functional>
#include <string>

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

/// P(k) at z = 0, k in h/Mpc, P in (Mpc/h)^3, normalised to sigma8, or to a_s if that is given.
class LinearPower {
 public:
  /// Eisenstein & Hu (1998) with baryon wiggles.
  static LinearPower eisenstein_hu(const CosmologyParameters& cosmology);
  /// Two columns k, P (CLASS, CAMB matterpower) or a CAMB transfer file of 7 or 13 columns. Throws InputError naming file
  /// and line. Beyond the last k it goes on with the Eisenstein-Hu shape; `warning()` names the wavenumber.
  static LinearPower from_file(const std::string& path, const CosmologyParameters& cosmology);

  [[nodiscard]] double operator()(double k) const { return amplitude_ * shape_(k); }
  /// rms of the density in spheres of `radius` Mpc/h.
  [[nodiscard]] double sigma(double radius) const;
  [[nodiscard]] double k_min() const { return k_min_; }  ///< 0 for the fit; first tabulated k otherwise
  [[nodiscard]] double k_max() const { return k_max_; }

 private:
  LinearPower(std::function<double(double)> shape, const CosmologyParameters& cosmology);

  std::function<double(double)> shape_;
  double amplitude_ = 1;
  double k_min_ = 0;
  double k_max_ = 0;
};

}  // namespace multiwalk
