// SPDX-License-Identifier: GPL-3.0-or-later
// Angular power spectra of maps, and their predictions in the Limber approximation.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "host/cosmology/expansion.hpp"

namespace multiwalk {

/// C_l for 0 <= l <= lmax of a map in nested order (12 nside^2), by HEALPix's harmonic transform with three iterations.
/// Pixels outside the field of view must be 0; the spectrum is divided by `seen_fraction`, the fraction of the sky in
/// view.
std::vector<double> angular_power(std::span<const double> map, std::uint32_t nside, std::uint32_t lmax,
                                  double seen_fraction);

/// The fraction of the power at l that remains when a field is averaged over pixels, on average over all pixels, whose
/// mean square radius is 1.068 times that of squares. A fit to sums over pixels; its error up to l = 2 nside is 0.1%.
double pixel_window_squared(double l, std::uint32_t nside);

/// P(k, a), k in h/Mpc, P in (Mpc/h)^3.
using PowerAt = std::function<double(double k, double a)>;

/// A projection between two comoving distances: int weight(chi) delta dchi.
struct Projection {
  double near, far;
  std::function<double(double chi, double a)> weight;
};

/// int weight^2 / chi^2 P((l + 1/2) / chi) dchi (Limber 1953; LoVerde & Afshordi 2008).
double limber(const Expansion& expansion, const Projection& projection, const PowerAt& power, double l);

/// The difference between the power of a projection on a flat sky and the Limber approximation, which neglects modes
/// with components along the line of sight. For a shell with sharp borders it is a few per cent.
class BeyondLimber {
 public:
  BeyondLimber(const Expansion& expansion, const Projection& projection);
  /// To be added to limber().
  [[nodiscard]] double operator()(const PowerAt& power, double l) const;

 private:
  double distance_ = 0, a_ = 0, square_ = 0;  ///< weighted mean distance, its a, int weight^2 / chi^2 dchi
  std::vector<double> k_,
      share_;  ///< wavenumbers along the line of sight and their shares of |int weight/chi e^ikchi|^2
};

/// Weights of the Born approximation: kappa = int q(chi) delta dchi up to the source,
/// q = 3/2 Omega_m (H0/c)^2 chi (chi_s - chi) / (chi_s a) (Bartelmann & Schneider 2001, eq. 6.21, flat space).
Projection lensing(const Expansion& expansion, double near, double far, double source);

/// kappa / delta of a shell whose overdensity is the same at all distances: int q dchi.
double shell_convergence(const Expansion& expansion, double near, double far, double source);

/// The overdensity of the counts in a shell: the weight is chi^2 divided by the integral of chi^2.
Projection shell_overdensity(double near, double far);

}  // namespace multiwalk
