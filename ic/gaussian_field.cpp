// Modes: |delta_k| = sqrt(-ln U) sqrt(P/V), phase 2 pi U', <|delta_k|^2> = P/V.
#include "ic/gaussian_field.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "ic/random.hpp"

namespace multiwalk {

namespace {

bool canonical(std::int64_t n_x, std::int64_t n_y, std::int64_t n_z) {
  return n_z > 0 || (n_z == 0 && (n_y > 0 || (n_y == 0 && n_x > 0)));
}

/// sqrt(P/V) over |n|^2, up to the corner of k-space.
std::vector<double> amplitudes(std::uint32_t cells, double box_size, const LinearPower& power) {
  const std::uint64_t highest = (cells - 1) / 2;
  std::vector<double> amplitude(3 * highest * highest + 1, 0.0);
  const double fundamental = 2 * std::numbers::pi / box_size;
  const double volume = box_size * box_size * box_size;
#pragma omp parallel for schedule(static)
  for (std::size_t n2 = 1; n2 < amplitude.size(); ++n2) {
    amplitude[n2] = std::sqrt(power(fundamental * std::sqrt(static_cast<double>(n2))) / volume);
  }
  return amplitude;
}

}  // namespace

std::complex<double> unit_mode(std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, const FieldOptions& options) {
  if (!canonical(n_x, n_y, n_z)) return std::conj(unit_mode(-n_x, -n_y, -n_z, options));
  const RandomWords words =
      philox({static_cast<std::uint64_t>(n_x), static_cast<std::uint64_t>(n_y), static_cast<std::uint64_t>(n_z), 0},
             options.seed);
  const double modulus = options.fixed_amplitude ? 1 : std::sqrt(-std::log(uniform_open_below(words[0])));
  const double phase = 2 * std::numbers::pi * uniform_open_above(words[1]);
  return std::polar(modulus, phase) * (options.paired ? -1.0 : 1.0);
}

FourierMesh gaussian_field(std::uint32_t cells, double box_size, const LinearPower& power,
                           const FieldOptions& options) {
  power.require_box(box_size);
  const std::vector<double> amplitude = amplitudes(cells, box_size, power);
  FourierMesh field(cells);
  field.for_each_mode([&](std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, std::complex<double>& mode) {
    const bool resolved = field.resolves(n_x) && field.resolves(n_y) && field.resolves(n_z);
    const std::int64_t n2 = n_x * n_x + n_y * n_y + n_z * n_z;
    mode = resolved && n2 > 0 ? amplitude[static_cast<std::size_t>(n2)] * unit_mode(n_x, n_y, n_z, options) : 0.0;
  });
  return field;
}

}  // namespace multiwalk
