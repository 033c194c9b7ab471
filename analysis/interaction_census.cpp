#include "analysis/interaction_census.hpp"

#include <cmath>
#include <vector>

#include "analysis/force_error.hpp"
#include "analysis/sampling.hpp"
#include "host/force/direct_sum.hpp"
#include "host/tree/traverse.hpp"

namespace multiwalk {

namespace {

/// BH86 for one particle: cells with s < theta d that do not hold it are accepted.
template <class ActCell, class ActLeaf>
void walk_bh86(const TreeView& tree, std::uint32_t particle, double theta, ActCell&& act_cell, ActLeaf&& act_leaf) {
  const Vec3d x = tree.position[particle];
  const auto open = [&](std::uint32_t n) {
    const Node& node = tree.node[n];
    if (particle - node.first < node.count) return true;
    const double side = tree.side(n);
    return side * side >= theta * theta * norm2(tree.multipole[n].centre_of_mass - x);
  };
  traverse(tree.node, open, act_cell, act_leaf);
}

std::uint64_t list_length(const TreeView& tree, std::uint32_t particle, double theta) {
  std::uint64_t length = 0;
  walk_bh86(
      tree, particle, theta, [&](std::uint32_t) { ++length; }, [&](std::uint32_t n) { length += tree.node[n].count; });
  return length;
}

Vec3d monopole_acceleration(const TreeView& tree, std::uint32_t particle, double theta, double softening) {
  const Vec3d x = tree.position[particle];
  ForceSum<double> sum;
  const auto add = [&](Vec3d source, float mass) {
    const double r2 = norm2(source - x) + softening * softening;
    if (r2 > 0) accumulate_monopole<true>(source - x, static_cast<double>(mass), softening * softening, sum);
  };
  walk_bh86(
      tree, particle, theta, [&](std::uint32_t n) { add(tree.multipole[n].centre_of_mass, tree.multipole[n].mass); },
      [&](std::uint32_t n) {
        for (std::uint32_t j = tree.node[n].first; j < tree.node[n].first + tree.node[n].count; ++j) {
          add(tree.position[j], tree.mass[j]);
        }
      });
  return {sum.x, sum.y, sum.z};
}

EffectiveCount count_lists(const TreeView& tree, std::span<const std::uint32_t> chosen, double theta) {
  double sum = 0, sum2 = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum, sum2)
  for (std::size_t s = 0; s < chosen.size(); ++s) {
    const auto length = static_cast<double>(list_length(tree, chosen[s], theta));
    sum += length;
    sum2 += length * length;
  }
  const auto n = static_cast<double>(chosen.size());
  const auto all = static_cast<double>(tree.position.size());
  if (chosen.empty()) return {};
  const double mean = sum / n;
  const double variance = n > 1 ? std::fmax(0, (sum2 - n * mean * mean) / (n - 1)) : 0;
  const double unsampled = 1 - n / all;
  return {mean * all, all * std::sqrt(variance / n * unsampled), chosen.size()};
}

double p99_of_monopole_walk(const TreeView& tree, std::span<const std::uint32_t> chosen,
                            std::span<const ForceSum<double>> truth, double theta, double softening) {
  std::vector<double> errors(chosen.size());
#pragma omp parallel for schedule(dynamic, 16)
  for (std::size_t s = 0; s < chosen.size(); ++s) {
    const Vec3d exact{truth[s].x, truth[s].y, truth[s].z};
    const double pull = norm(exact);
    errors[s] = pull > 0 ? norm(monopole_acceleration(tree, chosen[s], theta, softening) - exact) / pull : 0;
  }
  return percentiles(std::move(errors)).p99;
}

}  // namespace

EffectiveCount count_effective(const ParticleStore& sorted, const Cube& cube, double theta, std::uint64_t sample,
                               std::uint64_t seed) {
  const Octree tree = build_octree(sorted, cube, {1});
  return count_lists(tree.view(), sample_by_id(sorted.id, sample, seed), theta);
}

EqualErrorCount count_equal_error_monopole(const ParticleStore& sorted, const Cube& cube, const PairLaw& law,
                                           double p99_error, std::uint64_t sample, std::uint64_t seed) {
  const Octree tree = build_octree(sorted, cube, {1});
  const std::vector<std::uint32_t> chosen = sample_by_id(sorted.id, sample, seed);
  const std::vector<ForceSum<double>> truth = direct_sums(sorted.position, sorted.mass, chosen, law.softening);
  double low = 0.02, high = 1.5;
  for (int step = 0; step < 14; ++step) {
    const double middle = std::sqrt(low * high);
    const double error = p99_of_monopole_walk(tree.view(), chosen, truth, middle, law.softening);
    (error < p99_error ? low : high) = middle;
  }
  return {low, count_lists(tree.view(), chosen, low)};
}

}  // namespace multiwalk
