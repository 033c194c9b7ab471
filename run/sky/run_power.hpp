// SPDX-License-Identifier: GPL-3.0-or-later
// The matter power of a run between its outputs, for predictions of angular spectra.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "host/cosmology/growth.hpp"
#include "ic/power/linear_power.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Wavenumbers are in h/Mpc, powers in (Mpc/h)^3.
class RunPower {
 public:
  /// `report`: the run's report.json. Throws InputError if it is no report.
  RunPower(const Parameters& parameters, const nlohmann::json& report);

  /// Linear theory.
  [[nodiscard]] double linear(double k, double a) const;
  /// Measured, less `shot_noise`: interpolated in ln k and, as a multiple of linear theory, in ln a. Below the smallest
  /// wavenumber of the box, and without any measurement, linear theory; above the largest, 0.
  [[nodiscard]] double measured(double k, double a) const;
  [[nodiscard]] std::size_t epochs() const { return epochs_.size(); }
  [[nodiscard]] double shot_noise() const { return shot_noise_; }

 private:
  /// A measured spectrum, k rising, as a multiple of linear theory.
  struct Epoch {
    double a;
    std::vector<double> k, ratio;
  };
  [[nodiscard]] static double ratio_at(const Epoch& epoch, double k);

  Growth growth_;
  LinearPower today_;
  double shot_noise_ = 0;
  std::vector<Epoch> epochs_;  ///< a rising
};

}  // namespace multiwalk
