// SPDX-License-Identifier: GPL-3.0-or-later
// The matter power spectrum of a run, interpolated between its outputs, for predictions of angular power spectra.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/cosmology/growth.hpp"
#include "ic/power/linear_power.hpp"
#include "run/parameters/parameters.hpp"

namespace multiwalk {

/// Wavenumbers are in h/Mpc, powers in (Mpc/h)^3.
class RunPower {
 public:
  /// `report`: the run's report.json. Throws InputError if it is not a report.
  RunPower(const Parameters& parameters, const nlohmann::json& report);

  /// Linear theory.
  [[nodiscard]] double linear(double k, double a) const;
  /// The measured power without `shot_noise`, interpolated in ln k and, as a multiple of linear theory, in ln a. It is
  /// linear theory below the smallest wavenumber of the box, and if there is no measurement; above the largest
  /// wavenumber it is 0.
  [[nodiscard]] double measured(double k, double a) const;
  [[nodiscard]] std::size_t epochs() const { return epochs_.size(); }
  [[nodiscard]] double shot_noise() const { return shot_noise_; }

 private:
  void take_epochs(const nlohmann::json& report);
  /// A measured spectrum as a multiple of linear theory; k increases.
  struct Epoch {
    double a;
    std::vector<double> k, ratio;
  };
  [[nodiscard]] static double ratio_at(const Epoch& epoch, double k);

  Growth growth_;
  LinearPower today_;
  double shot_noise_ = 0;
  std::vector<Epoch> epochs_;  ///< by increasing a
};

}  // namespace multiwalk
