// SPDX-License-Identifier: GPL-3.0-or-later
// Internal units of comoving runs: Mpc/h, km/s, 1e10 Msun/h; hence time in Mpc/h/(km/s) and H0 = 100.
#pragma once

namespace multiwalk::units {

inline constexpr double cm_per_mpc = 3.0856775814913673e24;
inline constexpr double gram_per_1e10_msun = 1.98841e43;
inline constexpr double cm_per_km = 1e5;
inline constexpr double speed_of_light = 299792.458;  ///< km/s
inline constexpr double newton_cgs = 6.67430e-8;

inline constexpr double kpc = 1e-3;  ///< in Mpc, or kpc/h in Mpc/h
inline constexpr double seconds_per_hour = 3600;

/// Newton's constant in (Mpc/h) (km/s)^2 / (1e10 Msun/h), about 43.0.
inline constexpr double gravitational_constant = newton_cgs * gram_per_1e10_msun / (cm_per_mpc * cm_per_km * cm_per_km);
/// H0 in km/s/(Mpc/h).
inline constexpr double hubble_100 = 100.0;
/// Gyr/h per internal time unit.
inline constexpr double gyr_per_time = cm_per_mpc / cm_per_km / 3.15576e16;
/// Critical density today, 1e10 Msun/h / (Mpc/h)^3, about 27.75.
inline constexpr double critical_density =
    3 * hubble_100 * hubble_100 / (8 * 3.14159265358979323846 * gravitational_constant);

}  // namespace multiwalk::units
