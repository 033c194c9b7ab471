// SPDX-License-Identifier: GPL-3.0-or-later
// Random walks with a double-precision answer, and a way to run them through a back end.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/backends/multiwalk_backend.hpp"
#include "host/base/error.hpp"
#include "host/gravity/pair_force.hpp"
#include "tests/support/larger_error.hpp"

namespace multiwalk::device_test {

/// A back end with these options; the test is skipped where no device works.
inline std::unique_ptr<ForceBackend> backend_or_null(const CudaOptions& options = {}) {
  std::string why;
  return make_cuda_backend(options, why);
}

/// Sources, targets (a run of the sources if `own`) and walks over them.
struct Problem {
  std::vector<Vec3d> position;
  std::vector<float> mass;
  std::vector<Multipole> multipole;
  Cube cube;
  WalkBatch batch;
  std::vector<Vec3f> acceleration;
  std::vector<float> potential;

  [[nodiscard]] TreeView tree() const { return {cube, {}, multipole, position, mass, {}}; }
  [[nodiscard]] TargetView targets(bool own_tree = true, bool accumulate = false) {
    return {position, mass, acceleration, potential, own_tree, accumulate};
  }
  void add_walk(Vec3d centre, std::uint32_t first, std::uint32_t count, const std::vector<std::uint32_t>& cells,
                const std::vector<ParticleRange>& ranges) {
    Walk walk;
    walk.centre = centre;
    walk.target_first = first;
    walk.target_count = count;
    walk.cell_first = static_cast<std::uint32_t>(batch.cells.size());
    walk.cell_count = static_cast<std::uint32_t>(cells.size());
    walk.range_first = static_cast<std::uint32_t>(batch.ranges.size());
    walk.range_count = static_cast<std::uint32_t>(ranges.size());
    for (const ParticleRange& r : ranges) walk.source_count += r.count;
    batch.cells.insert(batch.cells.end(), cells.begin(), cells.end());
    batch.ranges.insert(batch.ranges.end(), ranges.begin(), ranges.end());
    batch.walks.push_back(walk);
  }
  /// Poisons the results.
  void reset() {
    acceleration.assign(position.size(), Vec3f{NAN, NAN, NAN});
    potential.assign(position.size(), NAN);
  }
};

/// Rounds to multiples of 2^-20, so that differences of a few units are exact in single precision.
inline double on_grid(double x) {
  return std::round(x * 0x1p20) * 0x1p-20;
}

/// `n` particles in a unit cube far from the origin, and `nodes` cells about them with moments like those of their mass
/// spread over a tenth of the distance.
inline Problem random_problem(std::size_t n, std::size_t nodes, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Problem problem;
  for (std::size_t i = 0; i < n; ++i) {
    problem.position.push_back(
        {1000 + on_grid(unit(random)), 2000 + on_grid(unit(random)), -500 + on_grid(unit(random))});
    problem.mass.push_back(static_cast<float>(0.5 + unit(random)));
  }
  for (std::size_t i = 0; i < nodes; ++i) {
    Multipole m;
    const double phi = 6.28318530717958648 * unit(random), mu = 2 * unit(random) - 1, r = 2 + 4 * unit(random);
    const double s = std::sqrt(1 - mu * mu);
    m.centre_of_mass = {1000.5 + on_grid(r * s * std::cos(phi)), 2000.5 + on_grid(r * s * std::sin(phi)),
                        -499.5 + on_grid(r * mu)};
    m.mass = static_cast<float>(10 + 20 * unit(random));
    const auto moment = [&] { return static_cast<float>(0.01 * r * r * m.mass * (unit(random) - 0.3)); };
    m.xx = std::fabs(moment());
    m.yy = std::fabs(moment());
    m.zz = std::fabs(moment());
    m.xy = moment();
    m.xz = moment();
    m.yz = moment();
    problem.multipole.push_back(m);
  }
  problem.reset();
  return problem;
}

/// Runs walk w on lane w mod lanes, submitting after each `per_batch` walks of a lane.
inline BackendTimes evaluate(ForceBackend& backend, Problem& problem, const PairLaw& law, const TargetView& targets,
                             int lanes = 1, std::size_t per_batch = 1000000) {
  backend.begin(law, problem.tree(), targets, lanes);
  std::vector<std::string> faults(static_cast<std::size_t>(lanes));
#pragma omp parallel for num_threads(lanes) schedule(static, 1)
  for (int lane = 0; lane < lanes; ++lane) {
    try {
      WalkBatch* out = &backend.open(lane);
      for (std::size_t w = static_cast<std::size_t>(lane); w < problem.batch.walks.size();
           w += static_cast<std::size_t>(lanes)) {
        Walk walk = problem.batch.walks[w];
        const auto* cells = problem.batch.cells.data() + walk.cell_first;
        const auto* ranges = problem.batch.ranges.data() + walk.range_first;
        walk.cell_first = static_cast<std::uint32_t>(out->cells.size());
        walk.range_first = static_cast<std::uint32_t>(out->ranges.size());
        out->cells.insert(out->cells.end(), cells, cells + walk.cell_count);
        out->ranges.insert(out->ranges.end(), ranges, ranges + walk.range_count);
        out->walks.push_back(walk);
        if (out->walks.size() == per_batch) {
          backend.submit(lane);
          out = &backend.open(lane);
        }
      }
      backend.submit(lane);
    } catch (const std::exception& e) {
      faults[static_cast<std::size_t>(lane)] = e.what();
    }
  }
  for (const std::string& fault : faults) {
    if (!fault.empty()) throw InputError(fault);
  }
  return backend.collect();
}

/// Double-precision sums for one target, without G: the pull, and the sums of the magnitudes of all pulls and
/// potentials.
struct Truth {
  ForceSum<double> sum;
  double pull = 0, potential = 0;
};

inline Truth truth(const Problem& problem, const Walk& walk, std::uint32_t target, const PairLaw& law, bool own_tree) {
  Truth result;
  const Vec3d x = problem.position[target];
  const double eps2 = law.softening * law.softening;
  const auto take = [&](const ForceSum<double>& one) {
    result.sum.x += one.x;
    result.sum.y += one.y;
    result.sum.z += one.z;
    result.sum.potential += one.potential;
    result.pull += std::sqrt(one.x * one.x + one.y * one.y + one.z * one.z);
    result.potential += std::fabs(one.potential);
  };
  for (std::uint32_t c = 0; c < walk.cell_count; ++c) {
    const Multipole& m = problem.multipole[problem.batch.cells[walk.cell_first + c]];
    ForceSum<double> one;
    SecondMoment<double> s{m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
    if (law.order == MultipoleOrder::monopole) s = {};
    if (eps2 > 0) {
      accumulate_quadrupole<true>(m.centre_of_mass - x, double{m.mass}, s, eps2, one);
    } else {
      accumulate_quadrupole<false>(m.centre_of_mass - x, double{m.mass}, s, eps2, one);
    }
    take(one);
  }
  for (std::uint32_t r = 0; r < walk.range_count; ++r) {
    const ParticleRange range = problem.batch.ranges[walk.range_first + r];
    for (std::uint32_t j = range.first; j < range.first + range.count; ++j) {
      const Vec3d d = problem.position[j] - x;
      if ((own_tree && j == target) || norm2(d) + eps2 == 0) continue;
      const double ri = 1 / std::sqrt(norm2(d) + eps2), m = problem.mass[j];
      take({m * d.x * ri * ri * ri, m * d.y * ri * ri * ri, m * d.z * ri * ri * ri, m * ri});
    }
  }
  return result;
}

/// Largest errors relative to the sums of magnitudes over all targets of all walks.
struct Errors {
  double pull = 0, potential = 0;
};

/// Takes in the error of one target's result.
inline void record_error(Errors& worst, const Truth& truth, double g, Vec3d acceleration, double potential) {
  const Vec3d difference = acceleration - g * Vec3d{truth.sum.x, truth.sum.y, truth.sum.z};
  worst.pull = larger_error(worst.pull, norm(difference) / (g * truth.pull + 1e-300));
  worst.potential =
      larger_error(worst.potential, std::fabs(potential + g * truth.sum.potential) / (g * truth.potential + 1e-300));
}

/// Against truth_of(walk, target).
template <class TruthOf>
Errors errors_against(const Problem& problem, double g, const TruthOf& truth_of) {
  Errors worst;
  for (const Walk& walk : problem.batch.walks) {
    for (std::uint32_t i = walk.target_first; i < walk.target_first + walk.target_count; ++i) {
      record_error(worst, truth_of(walk, i), g, static_cast<Vec3d>(problem.acceleration[i]), problem.potential[i]);
    }
  }
  return worst;
}

inline Errors errors(const Problem& problem, const PairLaw& law, bool own_tree = true) {
  return errors_against(problem, law.gravitational_constant, [&](const Walk& walk, std::uint32_t target) {
    return truth(problem, walk, target, law, own_tree);
  });
}

inline void expect_zero_of_empty_lists(ForceBackend& backend) {
  Problem problem = random_problem(700, 0, 4);
  problem.add_walk(problem.position[0], 0, 500, {}, {});
  problem.add_walk(problem.position[0], 500, 200, {}, {{0, 0}, {5, 0}});
  problem.add_walk(problem.position[0], 700, 0, {}, {});
  evaluate(backend, problem, {}, problem.targets(false));
  for (std::size_t i = 0; i < 700; ++i) {
    EXPECT_EQ(problem.acceleration[i], (Vec3f{0, 0, 0}));
    EXPECT_EQ(problem.potential[i], 0.0F);
  }
}

}  // namespace multiwalk::device_test
