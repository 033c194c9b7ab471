#include "analysis/interaction_census.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "analysis/rank_sums.hpp"
#include "analysis/sampling.hpp"
#include "host/force/pair_force.hpp"

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

double p99_of_monopole_walk(const CensusTree& tree, std::span<const CensusTarget> targets, const ForceTruth& truth,
                            double theta, const PairLaw& law, const Communicator& comm) {
  const double softening2 = law.softening * law.softening;
  const auto add_pulls = [&](std::span<const CensusTarget> some, std::span<Vec3d> pulls) {
    for_each_target(some, pulls, [&](const CensusTarget& target, Vec3d& pull) {
      ForceSum<double> sum;
      tree.walk(target, theta, [&](Vec3d source, float mass) {
        const Vec3d d = source - target.position;
        if (norm2(d) > 0) accumulate_monopole<true>(d, static_cast<double>(mass), softening2, sum);
      });
      pull += {sum.x, sum.y, sum.z};
    });
  };
  const std::vector<Vec3d> pull = sums_over_ranks<Vec3d>(comm, targets, add_pulls);
  std::vector<double> errors;
  for (std::size_t s = 0; s < pull.size(); ++s) {
    const double exact = norm(truth.pull[s]);
    errors.push_back(exact > 0 ? norm(law.gravitational_constant * pull[s] - truth.pull[s]) / exact : 0);
  }
  return percentiles(std::move(errors), comm).p99;
}

}  // namespace

EffectiveCount count_effective(const CensusTree& tree, const ParticleStore& particles, double theta,
                               std::uint64_t sample, std::uint64_t seed, const Communicator& comm) {
  const std::vector<std::uint32_t> chosen = sample_by_id(particles.id, sample, seed, comm);
  return count_lists(tree, targets_of(tree, particles, chosen), particles.size(), theta, comm);
}

EqualErrorCount count_equal_error_monopole(const CensusTree& tree, const ParticleStore& particles, const PairLaw& law,
                                           const ForceTruth& truth, double p99_error, const Communicator& comm) {
  const std::vector<CensusTarget> targets = targets_of(tree, particles, truth.chosen);
  double low = 0.02, high = 1.5;
  for (int step = 0; step < 14; ++step) {
    const double middle = std::sqrt(low * high);
    const double error = p99_of_monopole_walk(tree, targets, truth, middle, law, comm);
    (error < p99_error ? low : high) = middle;
  }
  return {low, count_lists(tree, targets, particles.size(), low, comm)};
}

EffectiveCount count_effective(const ParticleStore& sorted, const Cube& cube, double theta, std::uint64_t sample,
                               std::uint64_t seed, const Communicator& comm) {
  return count_effective(CensusTree(sorted, cube, comm), sorted, theta, sample, seed, comm);
}

EqualErrorCount count_equal_error_monopole(const ParticleStore& sorted, const Cube& cube, const PairLaw& law,
                                           double p99_error, std::uint64_t sample, std::uint64_t seed,
                                           const Communicator& comm) {
  return count_equal_error_monopole(CensusTree(sorted, cube, comm), sorted, law,
                                    sum_directly(sorted, law, sample, seed, comm), p99_error, comm);
}

}  // namespace multiwalk
