// SPDX-License-Identifier: GPL-3.0-or-later
#include "ic/fields/seeded_modes.hpp"

#include <gsl/gsl_rng.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>

#include "decomposition/ranks/agree.hpp"
#include "host/base/gsl_check.hpp"

namespace multiwalk {

namespace {

/// GSL's second-generation RANLUX in double precision (Luescher 1994).
class Ranlux {
 public:
  Ranlux() : state_(gsl_rng_alloc(gsl_rng_ranlxd1), gsl_rng_free) { gsl_check(state_.get(), "gsl_rng_alloc"); }
  void start(std::uint64_t seed) { gsl_rng_set(state_.get(), seed); }
  double uniform() { return gsl_rng_uniform(state_.get()); }
  double positive() {
    double u = 0;
    while (u == 0) u = uniform();
    return u;
  }

 private:
  std::unique_ptr<gsl_rng, decltype(&gsl_rng_free)> state_;
};

/// The modes of one column in their order.
class Column {
 public:
  explicit Column(const FieldOptions& options)
      : fixed_(options.fixed_amplitude),
        one_number_(fixed_ && options.source == ModeSource::gadget4),
        sign_(options.paired ? -1 : 1) {}
  void start(std::uint32_t seed) { random_.start(seed); }
  std::complex<double> next() {
    const double phase = 2 * std::numbers::pi * random_.uniform();
    const double u = one_number_ ? 1 : random_.positive();
    return sign_ * std::polar(fixed_ ? 1.0 : std::sqrt(-std::log(u)), phase);
  }

 private:
  Ranlux random_;
  bool fixed_, one_number_;
  double sign_;
};

/// Whether a mode in the plane n_z = 0 is drawn, or is the conjugate of another.
bool drawn(std::int64_t n_x, std::int64_t n_y) {
  return n_x > 0 || (n_x == 0 && n_y > 0);
}

void set_along_z(const SeedTable& seeds, const FieldOptions& options, std::int64_t n_x, std::int64_t n_y,
                 Column& column, PencilMesh& field) {
  const IndexRange z = field.pencil().mode_z;
  const std::uint32_t x = field.index(n_x), y = field.index(n_y);
  column.start(seeds(n_x, n_y));
  for (std::uint32_t n = 0; n < z.end() && field.resolves(n); ++n) {
    const std::complex<double> mode = column.next();
    if (n >= z.first) field.mode(x, y, n) = mode;
  }
  if (z.contains(0) && !drawn(n_x, n_y)) {
    Column opposite(options);
    opposite.start(seeds(-n_x, -n_y));
    field.mode(x, y, 0) = std::conj(opposite.next());
  }
}

/// (n_x from 0) values for n_x = 0, 1, ..., top and -top, ..., -1 of the column (n_y, n_z).
void draw_along_x(std::uint32_t seed, std::int64_t top, Column& column, std::vector<std::complex<double>>& values) {
  values.resize(static_cast<std::size_t>(2 * top + 1));
  column.start(seed);
  values[0] = column.next();
  for (std::int64_t n = 1; n <= top; ++n) {
    values[static_cast<std::size_t>(2 * top + 1 - n)] = column.next();
    values[static_cast<std::size_t>(n)] = column.next();
  }
}

void set_along_x(const SeedTable& seeds, std::int64_t n_y, std::int64_t n_z, Column& column, PencilMesh& field) {
  const std::int64_t top = (field.cells() - 1) / 2;
  const auto place = [top](std::int64_t n) { return static_cast<std::size_t>(n < 0 ? 2 * top + 1 + n : n); };
  const std::uint32_t y = field.index(n_y), z = field.index(n_z);
  std::vector<std::complex<double>> own, opposite;
  draw_along_x(seeds(n_y, n_z), top, column, own);
  if (n_z == 0) draw_along_x(seeds(-n_y, 0), top, column, opposite);
  for (std::int64_t n = -top; n <= top; ++n) {
    const bool conjugate = n_z == 0 && !drawn(n, n_y);
    field.mode(field.index(n), y, z) = conjugate ? std::conj(opposite[place(-n)]) : own[place(n)];
  }
}

}  // namespace

SeedTable::SeedTable(std::uint64_t seed, std::int64_t highest) : side_(2 * (highest + 1)) {
  seed_.resize(static_cast<std::size_t>(side_ * side_));
  Ranlux random;
  random.start(seed);
  for (std::int64_t ring = 0; ring <= highest; ++ring) {
    for (const bool mirror_b : {false, true}) {
      for (const bool mirror_a : {false, true}) {
        const auto deal = [&](std::int64_t a, std::int64_t b) {
          seed_[place(mirror_a ? -1 - a : a, mirror_b ? -1 - b : b)] =
              static_cast<std::uint32_t>(0x7fffffff * random.uniform());
        };
        for (std::int64_t i = 0; i < ring; ++i) deal(ring, i);
        for (std::int64_t i = 0; i <= ring; ++i) deal(i, ring);
      }
    }
  }
}

void set_seeded_modes(PencilMesh& field, const FieldOptions& options) {
  if (options.seed > largest_table_seed)
    throw SharedError("model.seed must lie below 2^31 with ic.random other than philox");
  const std::int64_t top = (field.cells() - 1) / 2;
  const SeedTable seeds = collectively(field.communicator(), [&] { return SeedTable(options.seed, top); });
  const IndexRange y_range = field.pencil().mode_y, z_range = field.pencil().mode_z;
#pragma omp parallel
  {
    Column column(options);
    if (options.source == ModeSource::ngenic) {
#pragma omp for collapse(2) schedule(static)
      for (std::int64_t n_x = -top; n_x <= top; ++n_x) {
        for (std::uint32_t y = y_range.first; y < y_range.end(); ++y) {
          const std::int64_t n_y = field.wavenumber(y);
          if (field.resolves(n_y)) set_along_z(seeds, options, n_x, n_y, column, field);
        }
      }
    } else {
#pragma omp for collapse(2) schedule(static)
      for (std::uint32_t y = y_range.first; y < y_range.end(); ++y) {
        for (std::uint32_t z = z_range.first; z < z_range.end(); ++z) {
          const std::int64_t n_y = field.wavenumber(y);
          if (field.resolves(n_y) && field.resolves(z)) set_along_x(seeds, n_y, z, column, field);
        }
      }
    }
  }
}

}  // namespace multiwalk
