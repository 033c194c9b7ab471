// SPDX-License-Identifier: GPL-3.0-or-later
// Short-range forces in a periodic box: the walk kernel against double-precision sums over nearest images, and whole
// forces against the CPU's.
#include <cstdio>
#include <numbers>
#include <span>

#include "host/force/simd_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/larger_error.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

constexpr double split_side = 2, scale = 0.1, cutoff = 0.6;

PairLaw split_law(double softening, MultipoleOrder order) {
  return {43.0, softening, order, split_side, {scale, cutoff}};
}

Vec3d wrapped(Vec3d x) {
  return {x.x - split_side * std::floor(x.x / split_side), x.y - split_side * std::floor(x.y / split_side),
          x.z - split_side * std::floor(x.z / split_side)};
}
Vec3d nearest_image(Vec3d d) {
  return {d.x - split_side * std::rint(d.x / split_side), d.y - split_side * std::rint(d.y / split_side),
          d.z - split_side * std::rint(d.z / split_side)};
}

/// The pull of a unit mass divided by the distance, and its potential, are reduced by these to end at zero at the
/// cut-off.
double lost_pull() {
  const double x = cutoff / (2 * scale);
  return (std::erfc(x) + 2 * x / std::sqrt(std::numbers::pi) * std::exp(-x * x)) / std::pow(cutoff, 3);
}
double lost_potential(double r) {
  return std::erfc(cutoff / (2 * scale)) / cutoff + lost_pull() * (cutoff * cutoff - r * r) / 2;
}

/// A point mass at d, with R^2 = d^2 + eps^2, has the potential erfc(R/2rs) / R less the reduction, up to R = cutoff.
ForceSum<double> exact_pull(Vec3d d, double mass, double softening) {
  const double r = std::hypot(norm(d), softening), x = r / (2 * scale), root = scale * std::sqrt(std::numbers::pi);
  if (r > cutoff) return {};
  if (r == 0) return {0, 0, 0, mass * (-1 / root - lost_potential(0))};
  const double weight = mass * ((std::erfc(x) + r / root * std::exp(-x * x)) / std::pow(r, 3) - lost_pull());
  return {weight * d.x, weight * d.y, weight * d.z, mass * (std::erfc(x) / r - lost_potential(r))};
}

/// Of a cell at d with second moment s; d is not small.
ForceSum<double> exact_pull(Vec3d d, double mass, const SecondMoment<double>& s, double softening) {
  const double r2 = norm2(d) + softening * softening, b = 1 / (4 * scale * scale),
               c = 1 / (scale * std::sqrt(std::numbers::pi));
  if (r2 > cutoff * cutoff) return {};
  double newton = 1 / std::sqrt(r2), lost = std::erf(std::sqrt(b * r2)) / std::sqrt(r2), gauss = c, p[4];
  gauss *= std::exp(-b * r2);
  for (int n = 0; n < 4; ++n) {
    p[n] = newton - lost;
    newton *= (2 * n + 1) / r2;
    lost = ((2 * n + 1) * lost - gauss) / r2;
    gauss *= 2 * b;
  }
  p[0] -= lost_potential(std::sqrt(r2));
  p[1] -= lost_pull();
  const Vec3d sd{s.xx * d.x + s.xy * d.y + s.xz * d.z, s.xy * d.x + s.yy * d.y + s.yz * d.z,
                 s.xz * d.x + s.yz * d.y + s.zz * d.z};
  const double dsd = dot(d, sd), trace = s.xx + s.yy + s.zz;
  const Vec3d a = (mass * p[1] + (dsd * p[3] - trace * p[2]) / 2) * d - p[2] * sd;
  return {a.x, a.y, a.z, mass * p[0] + (dsd * p[2] - trace * p[1]) / 2};
}

/// Exact sums, and the magnitudes of the whole pulls and potentials of all pairs within the cut-off.
struct ExactSum : Truth {
  double softening;

  explicit ExactSum(double eps) : softening(eps) {}
  void add(Vec3d d, double mass, const ForceSum<double>& one) {
    sum.x += one.x;
    sum.y += one.y;
    sum.z += one.z;
    sum.potential += one.potential;
    const double distance = std::hypot(norm(d), softening);
    if (distance > cutoff || distance == 0) return;
    pull += mass * norm(d) / std::pow(distance, 3);
    potential += mass / distance;
  }
  void add_particles(std::span<const Vec3d> position, std::span<const float> mass, std::size_t begin, std::size_t end,
                     std::size_t target) {
    for (std::size_t j = begin; j < end; ++j) {
      if (j == target) continue;
      const Vec3d d = nearest_image(position[j] - position[target]);
      add(d, mass[j], exact_pull(d, mass[j], softening));
    }
  }
};

Truth exact(const Problem& problem, const Walk& walk, std::uint32_t target, const PairLaw& law) {
  ExactSum result(law.softening);
  for (std::uint32_t c = 0; c < walk.cell_count; ++c) {
    const Multipole& m = problem.multipole[problem.batch.cells[walk.cell_first + c]];
    const Vec3d d = nearest_image(m.centre_of_mass - problem.position[target]);
    const SecondMoment<double> s{m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
    result.add(d, m.mass,
               law.order == MultipoleOrder::monopole ? exact_pull(d, m.mass, law.softening)
                                                     : exact_pull(d, m.mass, s, law.softening));
  }
  for (std::uint32_t r = 0; r < walk.range_count; ++r) {
    const ParticleRange range = problem.batch.ranges[walk.range_first + r];
    result.add_particles(problem.position, problem.mass, range.first, range.first + range.count, target);
  }
  return result;
}

/// Positions are multiples of 2^-20, so that differences are exact in single precision.
class Box {
 public:
  Problem problem;

  Box() { problem.cube = periodic_cube(split_side); }
  Vec3d about(Vec3d centre, double half) {
    const auto along = [&](double x) { return x + on_grid(half * (2 * unit_(random_) - 1)); };
    return wrapped({along(centre.x), along(centre.y), along(centre.z)});
  }
  void add_particles(std::size_t n, Vec3d centre, double half) {
    for (; n > 0; --n) {
      problem.position.push_back(about(centre, half));
      problem.mass.push_back(static_cast<float>(0.5 + unit_(random_)));
    }
  }
  void add_cells(std::size_t n, Vec3d centre, double half) {
    for (; n > 0; --n) {
      Multipole m;
      m.centre_of_mass = about(centre, half);
      m.mass = static_cast<float>(10 + 20 * unit_(random_));
      const auto moment = [&] { return static_cast<float>(2e-3 * m.mass * (unit_(random_) - 0.3)); };
      m.xx = std::fabs(moment());
      m.yy = std::fabs(moment());
      m.zz = std::fabs(moment());
      m.xy = moment();
      m.xz = moment();
      m.yz = moment();
      problem.multipole.push_back(m);
    }
  }
  /// Of `count` targets from `first` on, about `centre`, with all particles and all cells that are not near.
  void add_walk(Vec3d centre, std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> cells;
    for (std::uint32_t c = 0; c < problem.multipole.size(); ++c) {
      if (norm(nearest_image(problem.multipole[c].centre_of_mass - centre)) > 0.28) cells.push_back(c);
    }
    const auto all = static_cast<std::uint32_t>(problem.position.size());
    problem.add_walk(centre, first, count, cells, {{0, 7}, {7, all - 7}});
  }

 private:
  std::mt19937_64 random_{11};
  std::uniform_real_distribution<double> unit_{0, 1};
};

void expect_exact(ForceBackend& backend, Problem& problem, const PairLaw& law) {
  problem.reset();
  evaluate(backend, problem, law, problem.targets());
  const Errors e = errors_against(problem, law.gravitational_constant, [&](const Walk& walk, std::uint32_t target) {
    return exact(problem, walk, target, law);
  });
  std::printf("split, softening %g, %s: acceleration %.2e, potential %.2e of the sum of magnitudes\n", law.softening,
              law.order == MultipoleOrder::monopole ? "monopole" : "quadrupole", e.pull, e.potential);
  EXPECT_LT(e.pull, 1e-6);
  EXPECT_LT(e.potential, 1e-6);
}

void expect_exact_by_every_law(Problem& problem) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  for (const double softening : {0.0, 0.02}) {
    for (const MultipoleOrder order : {MultipoleOrder::monopole, MultipoleOrder::quadrupole}) {
      expect_exact(*cuda, problem, split_law(softening, order));
    }
  }
}

/// Targets in one corner of the box, sources in all eight.
TEST(SplitForces, MeetAcrossTheFaces) {
  Box box;
  const Vec3d centre{0.0625, 0.0625, 0.0625};
  box.add_particles(70, centre, 0.06);
  box.add_particles(400, {0, 0, 0}, 0.25);
  box.add_cells(40, {0, 0, 0}, 0.5);
  box.add_walk(centre, 0, 70);
  expect_exact_by_every_law(box.problem);
}

/// Groups of 1 to 1025 targets in the middle and at faces, edges and corners.
TEST(SplitForces, AreTheExactOnesOfNearestImages) {
  Box box;
  std::vector<std::uint32_t> counts{1, 3, 33, 100, 200, 257, 400, 512, 700, 1025};
  std::vector<Vec3d> centres;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    const auto along = [&](unsigned digit) { return digit == 0 ? 0.109375 : digit == 1 ? 1.0 : 1.890625; };
    const auto k = static_cast<unsigned>(7 * g % 27);
    centres.push_back({along(k % 3), along(k / 3 % 3), along(k / 9)});
    box.add_particles(counts[g], centres[g], 0.1);
  }
  box.add_particles(1500, {1, 1, 1}, 1);
  box.add_cells(1000, {1, 1, 1}, 1);
  std::uint32_t first = 0;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    box.add_walk(centres[g], first, counts[g]);
    first += counts[g];
  }
  expect_exact_by_every_law(box.problem);
}

TEST(SplitForces, FarCellsAreRefused) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  Box box;
  box.add_particles(10, {1, 1, 1}, 0.1);
  box.add_cells(10, {0, 0, 0}, 0.1);
  box.add_walk({1, 1, 1}, 0, 10);
  box.problem.reset();
  box.problem.batch.walks[0].far_count = 1;
  EXPECT_ANY_THROW(evaluate(*cuda, box.problem, split_law(0, MultipoleOrder::monopole), box.problem.targets()));
}

TEST(SplitForces, ABoxWithoutASplitIsNotServed) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  EXPECT_TRUE(cuda->evaluates({1, 0.1, MultipoleOrder::quadrupole}));
  EXPECT_TRUE(cuda->evaluates(split_law(0.1, MultipoleOrder::quadrupole)));
  EXPECT_FALSE(cuda->evaluates({1, 0.1, MultipoleOrder::quadrupole, split_side}));
}

/// A clump across a corner of the box, a denser one inside, and a few particles everywhere, whose groups are too wide.
ParticleStore clumps(std::size_t n) {
  Box box;
  box.add_particles(n / 2, {0, 0, 0}, 0.2);
  box.add_particles(n / 2 - n / 50, {1.3, 0.4, 1.9}, 0.1);
  box.add_particles(n / 50, {1, 1, 1}, 1);
  ParticleStore store;
  store.resize(box.problem.position.size());
  for (std::size_t i = 0; i < store.size(); ++i) {
    store.position[i] = box.problem.position[i];
    store.mass[i] = box.problem.mass[i];
    store.id[i] = i;
  }
  return store;
}

struct TreeCase {
  Mac mac;
  MultipoleOrder order;
  double softening;
  std::size_t particles;
};

class SplitTrees : public testing::TestWithParam<TreeCase> {};

TEST_P(SplitTrees, CpuAndCudaAgree) {
  const auto cuda = backend_or_null();
  if (!cuda) GTEST_SKIP() << "no CUDA device";
  const auto cpu = make_simd_backend();
  const TreeCase c = GetParam();
  GravityOptions options;
  options.mac = c.mac;
  options.theta = c.order == MultipoleOrder::monopole ? 0.25 : 0.5;
  options.multipole = c.order;
  options.group_size = 256;
  const PairLaw law = split_law(c.softening, c.order);
  ParticleStore a = clumps(c.particles), b = a;
  const ForceStatistics on_cpu = GravitySolver(options, *cpu).accelerate(a, law);
  const ForceStatistics on_cuda = GravitySolver(options, *cuda).accelerate(b, law);
  // The relative criterion opens cells by the first evaluation's accelerations, whose last digits differ.
  const double digits = c.mac == Mac::relative ? 1e-6 : 0;
  const auto expect_alike = [digits](std::uint64_t one, std::uint64_t other) {
    EXPECT_NEAR(static_cast<double>(one), static_cast<double>(other), digits * static_cast<double>(one));
  };
  expect_alike(on_cpu.raw.particle_pairs, on_cuda.raw.particle_pairs);
  expect_alike(on_cpu.raw.cell_pairs, on_cuda.raw.cell_pairs);
  a = test::in_order_of_ids(std::move(a));
  b = test::in_order_of_ids(std::move(b));
  ASSERT_EQ(a.id, b.id);
  double worst = 0, worst_potential = 0, wrong = 0;
  for (std::size_t i = 0; i < a.size(); i += 41) {
    ExactSum truth(c.softening);
    truth.add_particles(a.position, a.mass, 0, a.size(), i);
    const double g = law.gravitational_constant, pull = g * truth.pull;
    const Vec3d on_host(a.acceleration[i]), on_device(b.acceleration[i]);
    worst = larger_error(worst, norm(on_host - on_device) / pull);
    wrong = larger_error(wrong, norm(on_device - g * Vec3d{truth.sum.x, truth.sum.y, truth.sum.z}) / pull);
    worst_potential = larger_error(worst_potential,
                                   std::fabs(double{a.potential[i]} - double{b.potential[i]}) / (g * truth.potential));
  }
  std::printf("CPU and CUDA differ by %.2e (acceleration), %.2e (potential); exact sums and CUDA by %.2e\n", worst,
              worst_potential, wrong);
  EXPECT_LT(worst, 1e-6);
  EXPECT_LT(worst_potential, 1e-6);
  EXPECT_LT(wrong, 5e-3);
}

/// 10000 particles are sorted by the host, more by the device.
INSTANTIATE_TEST_SUITE_P(All, SplitTrees,
                         testing::Values(TreeCase{Mac::barnes90, MultipoleOrder::monopole, 0.01, 10000},
                                         TreeCase{Mac::barnes90, MultipoleOrder::quadrupole, 0, 30000},
                                         TreeCase{Mac::relative, MultipoleOrder::quadrupole, 0.01, 30000}));

}  // namespace
}  // namespace multiwalk::device_test
