// SPDX-License-Identifier: GPL-3.0-or-later
// A program of a stranger's: the age of an Einstein-de Sitter universe, and the version it was linked with.
#include <cmath>
#include <cstdio>

#include "host/cosmology/expansion.hpp"
#include "run/machine/version.hpp"

int main() {
  multiwalk::CosmologyParameters einstein_de_sitter;
  einstein_de_sitter.omega_m = 1;
  einstein_de_sitter.omega_lambda = 0;
  const double age = multiwalk::Expansion(einstein_de_sitter).time(1);
  std::printf("%sage in units of 1/H0: %.12f\n", multiwalk::version_text().c_str(), age * 100);
  return std::abs(age * 100 - 2.0 / 3) < 1e-9 ? 0 : 1;
}
