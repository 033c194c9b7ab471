// SPDX-License-Identifier: GPL-3.0-or-later
// Linear matter power spectrum today: Eisenstein & Hu (1998), Efstathiou, Bond & White (1992) or a Boltzmann code's
// table.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

/// What decided a linear power, by the names of CosmologyParameters, and what follows: "sigma8_derived" where sigma8
/// was not asked for, "table_scaled_by" for a table of P. What had no influence is absent.
using PowerFacts = std::map<std::string, double>;

/// P(k) at z = 0, k in h/Mpc, P in (Mpc/h)^3, normalised to sigma8, or to a_s if that is given. Copies share the table.
class LinearPower {
 public:
  /// Eisenstein & Hu (1998) with baryon wiggles.
  static LinearPower eisenstein_hu(const CosmologyParameters& cosmology);
  /// Eisenstein & Hu (1998) without baryon wiggles (their section 4.2).
  static LinearPower eisenstein_hu_smooth(const CosmologyParameters& cosmology);
  /// Efstathiou, Bond & White (1992) with the cosmology's `shape_gamma`, which must be positive.
  static LinearPower efstathiou(const CosmologyParameters& cosmology);
  /// Reads two columns k, P (CLASS, CAMB matterpower) or a CAMB transfer file of 7 or 13 columns. Throws InputError
  /// that names file and line. Beyond the table it continues with the Eisenstein-Hu shape matched at the end. A table
  /// of P keeps its own amplitude if a_s is given.
  static LinearPower from_file(const std::string& path, const CosmologyParameters& cosmology);

  /// From the file if there is one, by Efstathiou, Bond & White if there is a `shape_gamma`, otherwise Eisenstein & Hu,
  /// without wiggles if `smooth_power`.
  static LinearPower of(const CosmologyParameters& cosmology, const std::string& path);

  [[nodiscard]] double operator()(double k) const { return amplitude_ * shape_(k); }
  /// rms of the density in spheres of `radius` Mpc/h.
  [[nodiscard]] double sigma(double radius) const;

  /// Throws InputError that names the file if the longest wave of a box of side `box_size` Mpc/h is not tabulated.
  void require_box(double box_size) const;
  [[nodiscard]] const PowerFacts& facts() const { return facts_; }
  /// One line with sigma8 and what was made of a table.
  [[nodiscard]] std::string description() const;
  /// One line that names the wavenumber from which a realisation up to `k` is extrapolated, and says if the shape or
  /// amplitude of a table points to other units or another redshift; empty if all is well.
  [[nodiscard]] std::string warning(double k) const;

 private:
  explicit LinearPower(std::function<double(double)> shape) : shape_(std::move(shape)) {}
  /// `transfer`: T(k), k in h/Mpc.
  static LinearPower from_transfer(const CosmologyParameters& cosmology, std::function<double(double)> transfer);
  void normalise_to_sigma8(double sigma8);
  /// `from_a_s`: the amplitude is that of a_s, if that is given.
  void state_amplitude(const CosmologyParameters& cosmology, bool from_a_s);

  std::function<double(double)> shape_;
  double amplitude_ = 1;
  double k_min_ = 0, k_max_ = 0;  ///< first and last tabulated k; 0 for a fit
  std::string file_, doubt_;
  std::vector<double> borders_;  ///< wavenumbers of the table
  PowerFacts facts_;
};

}  // namespace multiwalk
