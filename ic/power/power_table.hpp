// SPDX-License-Identifier: GPL-3.0-or-later
// Linear power as a Boltzmann code writes it: two columns k, P (CLASS, CAMB matterpower), or CAMB's transfer functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace multiwalk {

/// The file's numbers. CAMB transfer files have 7 or 13 columns; the seventh is total matter, delta/k^2, k in h/Mpc.
struct PowerTable {
  bool transfer = false;      ///< value is CAMB's T(k) and not P(k)
  std::vector<double> k;      ///< (n) h/Mpc, rising
  std::vector<double> value;  ///< (n) positive
};

/// Throws InputError that names file and line for a missing file, wrong columns, non-numbers, unsorted k, or values
/// that are not positive.
PowerTable read_power_table(const std::string& path);

/// Cubic spline of ln y over ln x.
class LogSpline {
 public:
  LogSpline(const std::vector<double>& x, const std::vector<double>& y);
  [[nodiscard]] double operator()(double x) const;  ///< first x <= x <= last x

 private:
  struct Handle;
  std::shared_ptr<const Handle> handle_;
};

}  // namespace multiwalk
