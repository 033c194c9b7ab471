// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/power/power_spectrum.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "decomposition/mesh/density_modes.hpp"
#include "decomposition/ranks/agree.hpp"
#include "decomposition/ranks/exact_sum.hpp"

namespace multiwalk {

namespace {

constexpr int most_folds = 24;
/// The unit of |delta_k|^2 in exact sums: precise to 2e-28, and up to 3e10 in total.
constexpr double power_unit = 0x1p-20;

struct BinSum {
  ExactSum power, n;
  std::uint64_t modes = 0;
};

/// |W|^2 along one axis at wavenumber n: of the mode alone, or with the images of a white spectrum (Jing 2005, equation
/// 20, and its analogue for PCS).
double squared_window(Assignment assignment, bool images, double n, double cells) {
  if (!images) {
    const double window = assignment_window(assignment, n, cells);
    return window * window;
  }
  const double s = std::sin(std::numbers::pi * n / cells), s2 = s * s;
  switch (assignment) {
    case Assignment::cic:
      return 1 - 2.0 / 3 * s2;
    case Assignment::tsc:
      return 1 - s2 + 2.0 / 15 * s2 * s2;
    case Assignment::pcs:
      return 1 - 4.0 / 3 * s2 + 2.0 / 5 * s2 * s2 - 4.0 / 315 * s2 * s2 * s2;
  }
  throw Error("no such assignment");
}

/// (N/2 + 1) 1/|W|^2 for n = 0, 1, ...
std::vector<double> inverse_windows(const PowerOptions& options) {
  std::vector<double> inverse;
  for (std::uint32_t n = 0; n <= options.mesh / 2; ++n) {
    inverse.push_back(1 / squared_window(options.assignment, !options.interlacing, n, options.mesh));
  }
  return inverse;
}

/// (shells + 1) this rank's sums of |delta|^2 / power_unit and of |n|. A mode with n_z > 0 counts twice.
std::vector<BinSum> sum_shells(PencilMesh& modes, const PowerOptions& options, std::uint32_t shells) {
  const std::vector<double> inverse = inverse_windows(options);
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  std::vector<std::vector<BinSum>> sums(threads, std::vector<BinSum>(shells + 1));
  modes.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, const std::complex<double>& mode) {
    const double n = std::sqrt(static_cast<double>(x * x + y * y + z * z));
    const auto shell = static_cast<std::size_t>(std::lround(n));
    if (shell < 1 || shell > shells) return;
    const auto window = [&](std::int64_t along) { return inverse[static_cast<std::size_t>(std::abs(along))]; };
    const double power = std::norm(mode) * (window(x) * window(y) * window(z)) / power_unit;
    const unsigned weight = z == 0 ? 1 : 2;
    BinSum& sum = sums[static_cast<std::size_t>(omp_get_thread_num())][shell];
    sum.power.add(weight * power);
    sum.n.add(weight * n);
    sum.modes += weight;
  });
  for (std::size_t t = 1; t < threads; ++t) {
    for (std::size_t s = 0; s <= shells; ++s) {
      sums[0][s].power += sums[t][s].power;
      sums[0][s].n += sums[t][s].n;
      sums[0][s].modes += sums[t][s].modes;
    }
  }
  return std::move(sums[0]);
}

void add_bins_of_fold(PowerSpectrum& spectrum, const PeriodicParticles& particles, const PowerOptions& options,
                      const MassSums& masses, int fold, const Communicator& comm) {
  const std::uint32_t shells = (options.mesh - 1) / 2;
  const DensityOptions density{options.assignment, fold};
  PencilMesh modes = density_modes(particles, masses, options.mesh, density, options.interlacing, comm);
  const std::vector<BinSum> sums = sum_shells(modes, options, shells);
  const double fundamental = std::ldexp(2 * std::numbers::pi / particles.box_size, fold);
  const double volume = particles.box_size * particles.box_size * particles.box_size;
  for (std::uint32_t shell = 1; shell <= shells; ++shell) {
    const std::uint64_t count = comm.sum(sums[shell].modes);
    const double number = static_cast<double>(count);
    const double power = volume * power_unit * sums[shell].power.total(comm) / number;
    const double k = fundamental * sums[shell].n.total(comm) / number;
    const double subtracted = options.subtract_shot_noise ? spectrum.shot_noise : 0;
    spectrum.bins.push_back({fold, shell, k, power - subtracted, power * std::sqrt(2 / number), count});
  }
}

}  // namespace

std::uint32_t default_mesh(std::uint64_t particles) {
  const auto has_small_factors = [](std::uint32_t n) {
    for (const std::uint32_t factor : {2U, 3U, 5U}) {
      while (n % factor == 0) n /= factor;
    }
    return n == 1;
  };
  const double wanted = std::ceil(2 * std::cbrt(static_cast<double>(particles)) - 1e-6);
  auto cells = std::max<std::uint32_t>(static_cast<std::uint32_t>(wanted), 8);
  while (cells % 2 != 0 || !has_small_factors(cells)) ++cells;
  return cells;
}

PowerSpectrum measure_power(const PeriodicParticles& particles, const PowerOptions& options, const Communicator& comm) {
  if (options.folds < 0 || options.folds > most_folds) throw SharedError("a spectrum has 0 to 24 folds");
  if (!(particles.box_size > 0)) throw SharedError("a power spectrum needs a periodic box with a side above 0");
  const MassSums masses = sum_masses(particles, comm);
  PowerOptions chosen = options;
  if (chosen.mesh == 0) chosen.mesh = default_mesh(masses.particles);
  const double side = particles.box_size;
  PowerSpectrum spectrum{masses.particles, chosen.mesh, std::numbers::pi * chosen.mesh / side, 0, {}};
  spectrum.shot_noise = side * side * side * masses.sum_of_squares / (masses.sum * masses.sum);
  for (int fold = 0; fold <= chosen.folds; ++fold) add_bins_of_fold(spectrum, particles, chosen, masses, fold, comm);
  return spectrum;
}

std::vector<PowerBin> joined(const PowerSpectrum& spectrum) {
  std::vector<PowerBin> table;
  if (spectrum.bins.empty()) return table;
  const std::uint32_t last = spectrum.mesh / 4;  // for a fold that is followed by another
  const std::uint32_t first = (last + 3) / 2;    // in the next fold: 2 (first - 1/2) >= last + 1/2
  const int folds = spectrum.bins.back().fold;
  for (const PowerBin& bin : spectrum.bins) {
    if ((bin.fold == 0 || bin.shell >= first) && (bin.fold == folds || bin.shell <= last)) table.push_back(bin);
  }
  return table;
}

}  // namespace multiwalk
