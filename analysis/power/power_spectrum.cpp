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

/// (shells + 1) this rank's sums, powers in power_unit. A mode with n_z > 0 counts twice.
std::vector<BinSum> sum_own_shells(PencilMesh& modes, const ShellOptions& options) {
  const std::uint32_t shells = options.last_shell();
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  std::vector<std::vector<BinSum>> sums(threads, std::vector<BinSum>(shells + 1));
  modes.for_each_mode([&](std::int64_t x, std::int64_t y, std::int64_t z, const std::complex<double>& mode) {
    const double n = std::sqrt(static_cast<double>(x * x + y * y + z * z));
    const auto shell = static_cast<std::size_t>(std::lround(n));
    if (shell < 1 || shell > shells) return;
    const auto factor = [&](std::int64_t along) { return options.factor[static_cast<std::size_t>(std::abs(along))]; };
    const double power = std::norm(mode) * (factor(x) * factor(y) * factor(z)) / power_unit;
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

/// Over all ranks.
ShellSums sum_shells(const PeriodicParticles& particles, const MassSums& masses, const ShellOptions& options,
                     const Communicator& comm) {
  PencilMesh modes =
      density_modes(particles, masses, options.cells, {options.assignment, options.fold}, options.interlacing, comm);
  ShellSums sums{masses.sum, masses.sum_of_squares, {}};
  for (const BinSum& own : sum_own_shells(modes, options)) {
    const std::uint64_t number = comm.sum(own.modes);
    sums.shell.push_back({power_unit * own.power.total(comm), own.n.total(comm), number});
  }
  return sums;
}

void add_bins(PowerSpectrum& spectrum, const ShellSums& sums, int fold, double side, bool subtract_shot_noise) {
  const double fundamental = std::ldexp(2 * std::numbers::pi / side, fold), volume = side * side * side;
  for (std::uint32_t shell = 1; shell < sums.shell.size(); ++shell) {
    const ShellSum& sum = sums.shell[shell];
    const auto number = static_cast<double>(sum.modes);
    const double power = volume * sum.power / number, k = fundamental * sum.wavenumber / number;
    const double subtracted = subtract_shot_noise ? spectrum.shot_noise : 0;
    spectrum.bins.push_back({fold, shell, k, power - subtracted, power * std::sqrt(2 / number), sum.modes});
  }
}

void check(const PowerOptions& options, double box_size) {
  if (options.folds < 0 || options.folds > most_folds) throw SharedError("a spectrum has 0 to 24 folds");
  if (!(box_size > 0)) throw SharedError("a power spectrum needs a periodic box with a side above 0");
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

std::optional<PowerSpectrum> power_of_shells(std::uint64_t particles, double box_size, const PowerOptions& options,
                                             const ShellSource& shells) {
  check(options, box_size);
  PowerOptions chosen = options;
  if (chosen.mesh == 0) chosen.mesh = default_mesh(particles);
  const std::vector<double> factor = inverse_windows(chosen);
  PowerSpectrum spectrum{particles, chosen.mesh, std::numbers::pi * chosen.mesh / box_size, 0, {}};
  for (int fold = 0; fold <= chosen.folds; ++fold) {
    const std::optional<ShellSums> sums = shells({chosen.mesh, chosen.assignment, chosen.interlacing, fold, factor});
    if (!sums) return std::nullopt;
    spectrum.shot_noise = box_size * box_size * box_size * sums->mass_squares / (sums->mass * sums->mass);
    add_bins(spectrum, *sums, fold, box_size, chosen.subtract_shot_noise);
  }
  return spectrum;
}

PowerSpectrum measure_power(const PeriodicParticles& particles, const PowerOptions& options, const Communicator& comm) {
  check(options, particles.box_size);
  const MassSums masses = sum_masses(particles, comm);
  const auto shells = [&](const ShellOptions& of) { return sum_shells(particles, masses, of, comm); };
  return *power_of_shells(masses.particles, particles.box_size, options, shells);
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
