// SPDX-License-Identifier: GPL-3.0-or-later
// Friedmann background: H(a), times, and the kick and drift integrals of the comoving leapfrog.
#pragma once

#include <string>

namespace multiwalk {

/// Density parameters today; curvature is what is left over. Defaults: Planck 2018 (TT,TE,EE+lowE+lensing+BAO).
struct CosmologyParameters {
  double omega_m = 0.3111;
  double omega_lambda = 0.6889;
  double omega_b = 0.0490;
  double h = 0.6766;
  double n_s = 0.9665;
  double sigma8 = 0.8102;
  double a_s = 0;             ///< primordial amplitude at 0.05/Mpc; used instead of sigma8 if > 0
  double shape_gamma = 0;     ///< of Efstathiou, Bond & White's (1992) linear power; 0: another is used
  bool smooth_power = false;  ///< Eisenstein & Hu's (1998) linear power without baryon wiggles
  double w0 = -1;
  double wa = 0;
  bool radiation = false;  ///< photons and massless neutrinos in H(a)
  double t_cmb = 2.7255;   ///< K

  friend bool operator==(const CosmologyParameters&, const CosmologyParameters&) = default;
};

/// Omega_k, what the other densities leave to curvature today.
double curvature(const CosmologyParameters& parameters);
/// Whether geometry is Euclid's: |Omega_k| is at most 1e-4, which is more than radiation takes.
bool is_flat(const CosmologyParameters& parameters);
/// Throws InputError unless it is flat. `what`: whose angles and areas need that.
void require_flat(const CosmologyParameters& parameters, const std::string& what);

/// E(a) = H/H0 for matter, curvature, w0-wa dark energy (Chevallier & Polarski 2001) and optional radiation.
/// Times are in (Mpc/h)/(km/s), H0 = 100 km/s/(Mpc/h) unless given. Throws InputError if H^2 is not positive up to
/// today and `margin` beyond.
class Expansion {
 public:
  static constexpr double margin = 1.25;  ///< tables that must reach a time extend to this multiple of a

  explicit Expansion(const CosmologyParameters& parameters, double hubble0 = 100.0);

  /// Throws InputError if H^2 is not positive up to that a and `margin` beyond.
  void require_expansion(double until) const;

  [[nodiscard]] const CosmologyParameters& parameters() const { return parameters_; }
  [[nodiscard]] double hubble0() const { return hubble0_; }
  [[nodiscard]] double omega_r() const { return omega_r_; }
  [[nodiscard]] double efunc(double a) const;  ///< E(a)
  [[nodiscard]] double dlnefunc_dlna(double a) const;
  [[nodiscard]] double hubble(double a) const { return hubble0_ * efunc(a); }
  [[nodiscard]] double omega_m(double a) const;  ///< Omega_m at a
  [[nodiscard]] double time(double a) const;     ///< age at a
  /// int dt/a from a0 to a1 (Quinn et al. 1997): kick of the canonical momentum p = a^2 dx/dt.
  [[nodiscard]] double kick_factor(double a0, double a1) const;
  /// int dt/a^2 from a0 to a1 (Quinn et al. 1997): drift of the comoving position.
  [[nodiscard]] double drift_factor(double a0, double a1) const;
  /// a1 such that the time from a0 to a1 is dt.
  [[nodiscard]] double advance(double a0, double dt) const;

 private:
  struct Terms;
  [[nodiscard]] Terms terms(double a) const;  ///< of E^2

  CosmologyParameters parameters_;
  double hubble0_;
  double omega_r_ = 0;
  double omega_k_ = 0;
};

}  // namespace multiwalk
