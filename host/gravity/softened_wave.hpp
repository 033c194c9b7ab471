// SPDX-License-Identifier: GPL-3.0-or-later
// The Gaussian split of a Plummer potential in Fourier space. By 1/R = 2/sqrt(pi) int_0^inf exp(-t^2 R^2) dt, R^2 = r^2
// + eps^2, Ewald's (1921) division at t = alpha gives erfc(alpha R)/R to the pairs and leaves to the waves, k != 0,
//   4 pi/k^2 int_x^inf exp(-w - y/4w) dw,   x = k^2/4 alpha^2,  y = (k eps)^2:
// for eps = 0 exp(-x), and for x = 0 the whole potential's k eps K1(k eps).
#pragma once

namespace multiwalk {

/// exp(x) times the integral: int_0^inf exp(-v - y/4(x + v)) dv, 1 for y = 0, within 2e-13.
double softened_wave(double x, double y);

/// The mean over a volume V of the pairs' erfc(alpha R)/R, times V.
double softened_pair_volume(double alpha, double softening);

}  // namespace multiwalk
