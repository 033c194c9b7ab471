/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerations and potentials of bodies on a helix, by the default options and by the scalar loop, which is the truth. */
#include <math.h>
#include <multiwalk_direct.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 1000 };

static double x[n][3], m[n], a[n][3], p[n], exact_a[n][3], exact_p[n];

static void check(int status) {
  if (status == MULTIWALK_DIRECT_OK) return;
  fprintf(stderr, "direct_forces: %s\n", multiwalk_direct_message());
  exit(1);
}

int main(void) {
  const double eps2 = 1e-4;
  double worst = 0, energy = 0;
  multiwalk_direct_handle *scalar = multiwalk_direct_create();
  for (int i = 0; i < n; ++i) {
    const double t = 0.02 * i;
    x[i][0] = cos(t);
    x[i][1] = sin(t);
    x[i][2] = 0.1 * t;
    m[i] = 1.0 / n;
  }
  printf("by %s\n", multiwalk_direct_description(NULL));
  check(multiwalk_direct_force_potential(x, m, x, eps2, a, p, n, n));
  check(multiwalk_direct_set(scalar, "backend", "scalar"));
  check(multiwalk_direct_sum(scalar, x, NULL, m, x, NULL, eps2, exact_a, NULL, exact_p, n, n));
  multiwalk_direct_destroy(scalar);
  for (int i = 0; i < n; ++i) {
    energy += 0.5 * m[i] * p[i];
    worst = fmax(worst, fabs(p[i] / exact_p[i] - 1));
    for (int k = 0; k < 3; ++k) worst = fmax(worst, fabs(a[i][k] - exact_a[i][k]));
  }
  printf("potential energy %.9f, largest error %.1e\n", energy, worst);
  return worst < 1e-5 ? 0 : 1;
}
