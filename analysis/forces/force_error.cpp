// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/forces/force_error.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "analysis/sums/rank_sums.hpp"
#include "decomposition/ranks/rank_select.hpp"
#include "host/exact/direct_sum.hpp"
#include "host/exact/ewald.hpp"
#include "host/force/backend_services.hpp"

namespace multiwalk {

namespace {

/// Targets that read a block of sources while it is in cache.
constexpr std::size_t targets_together = 4, source_block = 8192;

void add_pulls(const ParticleStore& sources, const PairLaw& law, std::span<const Vec3d> targets, std::span<Vec3d> sums,
               const std::function<void(double)>& progress) {
  std::optional<EwaldSum> images;
  if (law.box_size > 0) images.emplace(EwaldLaw{law.box_size, law.softening});
  const std::span<const Vec3d> position(sources.position);
  const std::span<const float> mass(sources.mass);
  const std::size_t teams = (targets.size() + targets_together - 1) / targets_together;
  std::atomic<std::size_t> done = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t team = 0; team < teams; ++team) {
    const std::size_t first = team * targets_together, last = std::min(first + targets_together, targets.size());
    for (std::size_t from = 0; from < position.size(); from += source_block) {
      const std::size_t count = std::min(source_block, position.size() - from);
      for (std::size_t t = first; t < last; ++t) {
        const auto x = position.subspan(from, count);
        const auto m = mass.subspan(from, count);
        const ForceSum<double> sum = images ? (*images)(x, m, targets[t]) : direct_sum(x, m, targets[t], law.softening);
        sums[t] += {sum.x, sum.y, sum.z};
      }
    }
    if (progress) progress(static_cast<double>(++done) / static_cast<double>(teams));
  }
}

}  // namespace

ErrorPercentiles percentiles(std::vector<double> errors, const Communicator& comm) {
  const std::uint64_t count = comm.sum(static_cast<std::uint64_t>(errors.size()));
  if (count == 0) return {};
  for (double& e : errors) {
    e = std::isnan(e) ? std::numeric_limits<double>::infinity() : std::fabs(e);
  }
  // The bits of numbers that are not negative rise with them.
  const auto bits_of = [&](std::size_t i) { return std::bit_cast<std::uint64_t>(errors[i]); };
  const auto n = static_cast<double>(count);
  const auto at_rank = [&](double rank) {
    const auto place = static_cast<std::uint64_t>(std::clamp(rank, 1.0, n)) - 1;
    return std::bit_cast<double>(select_over_ranks(comm, errors.size(), bits_of, place).key);
  };
  // The smallest error that at least this fraction does not exceed.
  const auto at = [&](double fraction) { return at_rank(std::ceil(fraction * n)); };
  const double worst = errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
  ErrorPercentiles e{at(0.5), at(0.9), at(0.99), comm.max(worst), count};
  const auto interval = [&](double fraction, double& low, double& high) {
    const double scatter = 1.96 * std::sqrt(fraction * (1 - fraction) * n);  // of the number below the true percentile
    low = at_rank(std::floor(fraction * n - scatter));
    high = at_rank(std::ceil(fraction * n + scatter) + 1);
  };
  interval(0.99, e.p99_low, e.p99_high);
  interval(0.5, e.median_low, e.median_high);
  return e;
}

ForceTruth sum_directly(const ParticleStore& particles, const PairLaw& law, const Sample& sample,
                        const Communicator& comm, const Summation& summation) {
  ForceTruth truth{sample_by_id(particles.id, sample, comm), {}};
  std::vector<Vec3d> targets;
  for (const std::uint32_t i : truth.chosen) targets.push_back(particles.position[i]);
  truth.pull = sums_over_ranks<Vec3d>(
      comm, std::span<const Vec3d>(targets), [&](std::span<const Vec3d> all, std::span<Vec3d> sums) {
        ExactPulls* const device = summation.backend != nullptr ? summation.backend->exact_pulls() : nullptr;
        const bool added =
            device != nullptr && device->add_exact_pulls(particles.position, particles.mass, law, all, sums);
        if (!added) add_pulls(particles, law, all, sums, summation.progress);
      });
  for (Vec3d& pull : truth.pull) pull *= law.gravitational_constant;
  return truth;
}

ForceError measure_force_error(const ParticleStore& particles, const ForceTruth& truth, double background,
                               const Communicator& comm) {
  std::vector<double> total, peculiar, of_rms;
  double square = 0;
  for (const Vec3d& pull : truth.pull) square += norm2(pull);
  const auto sample = comm.sum(static_cast<std::uint64_t>(truth.pull.size()));
  const double rms = std::sqrt(comm.sum(square) / static_cast<double>(std::max<std::uint64_t>(1, sample)));
  for (std::size_t s = 0; s < truth.chosen.size(); ++s) {
    const std::uint32_t i = truth.chosen[s];
    const double error = norm(Vec3d(particles.acceleration[i]) - truth.pull[s]);
    // Where nothing pulls, any error counts as infinite.
    const auto relative = [&](double pull) { return error == 0 ? 0.0 : error / pull; };
    total.push_back(relative(norm(truth.pull[s])));
    peculiar.push_back(relative(norm(truth.pull[s] + background * particles.position[i])));
    of_rms.push_back(relative(rms));
  }
  return {percentiles(std::move(total), comm), percentiles(std::move(peculiar), comm),
          percentiles(std::move(of_rms), comm)};
}

ForceError measure_force_error(const ParticleStore& particles, const PairLaw& law, const Sample& sample,
                               double background, const Communicator& comm, const Summation& summation) {
  return measure_force_error(particles, sum_directly(particles, law, sample, comm, summation), background, comm);
}

}  // namespace multiwalk
