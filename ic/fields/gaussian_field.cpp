// SPDX-License-Identifier: GPL-3.0-or-later
// Our own modes: |delta_k| = sqrt(-ln U) sqrt(P/V), phase 2 pi U', <|delta_k|^2> = P/V.
#include "ic/fields/gaussian_field.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "ic/fields/random.hpp"
#include "ic/fields/seeded_modes.hpp"

namespace multiwalk {

namespace {

bool canonical(std::int64_t n_x, std::int64_t n_y, std::int64_t n_z) {
  return n_z > 0 || (n_z == 0 && (n_y > 0 || (n_y == 0 && n_x > 0)));
}

/// sqrt(P/V) as a function of |n|^2; tabulated if that saves evaluations.
class Amplitude {
 public:
  Amplitude(const PencilMesh& field, double box_size, const LinearPower& power)
      : power_(power), fundamental_(2 * std::numbers::pi / box_size), volume_(box_size * box_size * box_size) {
    const std::uint64_t highest = (field.cells() - 1) / 2;
    const std::uint64_t lengths = 3 * highest * highest + 1;
    const std::uint64_t lines = std::uint64_t{field.pencil().mode_y.count} * field.pencil().mode_z.count;
    if (lengths > lines * field.cells()) return;
    table_.resize(lengths);
#pragma omp parallel for schedule(static)
    for (std::uint64_t n2 = 1; n2 < lengths; ++n2) table_[n2] = evaluate(n2);
  }
  [[nodiscard]] double operator()(std::uint64_t n2) const {
    return table_.empty() ? evaluate(n2) : table_[n2];
  }

 private:
  [[nodiscard]] double evaluate(std::uint64_t n2) const {
    return std::sqrt(power_(fundamental_ * std::sqrt(static_cast<double>(n2))) / volume_);
  }

  const LinearPower& power_;
  double fundamental_, volume_;
  std::vector<double> table_;
};

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

PencilMesh gaussian_field(std::uint32_t cells, double box_size, const LinearPower& power, const FieldOptions& options,
                          const Communicator& comm) {
  collectively(comm, [&] { power.require_box(box_size); });
  PencilMesh field(comm, cells);
  const Amplitude amplitude(field, box_size, power);
  const bool own = options.source == ModeSource::philox;
  if (!own) set_seeded_modes(field, options);
  field.for_each_mode([&](std::int64_t n_x, std::int64_t n_y, std::int64_t n_z, std::complex<double>& mode) {
    const bool resolved = field.resolves(n_x) && field.resolves(n_y) && field.resolves(n_z);
    const auto n2 = static_cast<std::uint64_t>(n_x * n_x + n_y * n_y + n_z * n_z);
    mode = resolved && n2 > 0 ? amplitude(n2) * (own ? unit_mode(n_x, n_y, n_z, options) : mode) : 0.0;
  });
  return field;
}

}  // namespace multiwalk
