// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/forces/interaction_census.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/sums/rank_sums.hpp"
#include "host/gravity/pair_force.hpp"
#include "host/gravity/short_range.hpp"

namespace multiwalk {

namespace {

std::vector<CensusTarget> targets_of(const CensusTree& tree, const ParticleStore& particles,
                                     std::span<const std::uint32_t> chosen) {
  std::vector<CensusTarget> targets;
  for (const std::uint32_t i : chosen) targets.push_back(tree.target(particles.position[i]));
  return targets;
}

/// Calls act(target, sum) for every pair of them, in parallel.
template <class Sum, class Act>
void for_each_target(std::span<const CensusTarget> targets, std::span<Sum> sums, Act act) {
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t t = 0; t < targets.size(); ++t) act(targets[t], sums[t]);
}

EffectiveCount count_lists(const CensusTree& tree, std::span<const CensusTarget> targets, std::uint64_t particles,
                           double theta, const Communicator& comm) {
  const auto add_lengths = [&](std::span<const CensusTarget> some, std::span<std::uint64_t> lengths) {
    for_each_target(some, lengths, [&](const CensusTarget& target, std::uint64_t& length) {
      tree.walk(target, theta, [&](Vec3d, float) { ++length; });
    });
  };
  const std::vector<std::uint64_t> length = sums_over_ranks<std::uint64_t>(comm, targets, add_lengths);
  const auto count = comm.sum(static_cast<std::uint64_t>(length.size()));
  if (count == 0) return {};
  const auto n = static_cast<double>(count), all = static_cast<double>(comm.sum(particles));
  const auto sum = static_cast<double>(comm.sum(std::accumulate(length.begin(), length.end(), std::uint64_t{0})));
  double squares = 0;
  for (const std::uint64_t l : length) squares += std::pow(static_cast<double>(l) - sum / n, 2);
  const std::vector<double> part = comm.all_gather(squares);
  const double variance = n > 1 ? std::accumulate(part.begin(), part.end(), 0.0) / (n - 1) : 0;
  const double unsampled = 1 - n / all;
  return {sum * (all / n), all * std::sqrt(variance / n * unsampled), count};
}

/// (targets) Sums of the pair law over the monopole walk's lists, of all ranks.
std::vector<Vec3d> pulls_of_walk(const CensusTree& tree, std::span<const CensusTarget> targets, double theta,
                                 const PairLaw& law, const Communicator& comm) {
  const double softening2 = law.softening * law.softening;
  const ShortRange short_range = law.split.scale > 0 ? ShortRange(law.split) : ShortRange();
  const auto add_pulls = [&](std::span<const CensusTarget> some, std::span<Vec3d> pulls) {
    for_each_target(some, pulls, [&](const CensusTarget& target, Vec3d& pull) {
      ForceSum<double> sum;
      tree.walk(target, theta, [&](Vec3d d, float mass) {
        if (!(norm2(d) > 0)) return;
        if (law.split.scale > 0) {
          accumulate_monopole<true>(d, static_cast<double>(mass), softening2, short_range, sum);
        } else {
          accumulate_monopole<true>(d, static_cast<double>(mass), softening2, sum);
        }
      });
      pull += law.gravitational_constant * Vec3d{sum.x, sum.y, sum.z};
    });
  };
  return sums_over_ranks<Vec3d>(comm, targets, add_pulls);
}

/// The 99 % error or the median, whichever `level` is of.
double error_of(std::span<const Vec3d> pull, std::span<const Vec3d> exact, std::span<const Vec3d> whole,
                const ErrorLevel& level, const Communicator& comm) {
  std::vector<double> errors;
  for (std::size_t s = 0; s < pull.size(); ++s) {
    const double of = norm(whole[s]);
    errors.push_back(of > 0 ? norm(pull[s] - exact[s]) / of : 0);
  }
  const ErrorPercentiles e = percentiles(std::move(errors), comm);
  return level.of_median ? e.median : e.p99;
}

/// The theta between 0.02 and 1.5 whose error is `wanted`, to 0.3 %: secants of log error against log theta, which is
/// nearly a line, kept inside a bracket. Tries few and large thetas, since small ones cost most.
template <class ErrorOfTheta>
double theta_of_error(const ErrorOfTheta& error_of, double wanted) {
  constexpr double precision = 3e-3, usual_slope = 2;
  double low = std::log(0.02), high = std::log(1.5), x = std::log(0.4), slope = usual_slope;
  double last_x = 0, last_f = 0;
  for (int evaluations = 0; evaluations < 14; ++evaluations) {
    const double f = std::log(error_of(std::exp(x)) / wanted);
    (f < 0 ? low : high) = x;
    if (evaluations > 0 && x != last_x) slope = std::clamp((f - last_f) / (x - last_x), 0.5, 6.0);
    last_x = x;
    last_f = f;
    double next = x - f / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (high - low < precision || std::abs(next - x) < precision) return std::exp(next);
    x = next;
  }
  return std::exp(low);
}

}  // namespace

EffectiveCount count_effective(const CensusTree& tree, const ParticleStore& particles, double theta,
                               const Sample& sample, const Communicator& comm) {
  const std::vector<std::uint32_t> chosen = sample_by_id(particles.id, sample, comm);
  return count_lists(tree, targets_of(tree, particles, chosen), particles.size(), theta, comm);
}

ErrorLevel level_of(const ErrorPercentiles& e) {
  return e.knows_p99() ? ErrorLevel{e.p99, false} : ErrorLevel{e.median, true};
}

EqualErrorCount count_equal_error_monopole(const CensusTree& tree, const ParticleStore& particles, const PairLaw& law,
                                           const ForceTruth& truth, const ErrorLevel& level, const Communicator& comm) {
  const std::vector<CensusTarget> targets = targets_of(tree, particles, truth.chosen);
  // If forces are split, the walk gives the short-range part, which is exact where it opens every cell.
  const bool split = law.split.scale > 0;
  const std::vector<Vec3d> exact = split ? pulls_of_walk(tree, targets, 0, law, comm) : truth.pull;
  const double theta = theta_of_error(
      [&](double angle) {
        return error_of(pulls_of_walk(tree, targets, angle, law, comm), exact, truth.pull, level, comm);
      },
      level.error);
  return {theta, count_lists(tree, targets, particles.size(), theta, comm)};
}

}  // namespace multiwalk
