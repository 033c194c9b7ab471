// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that begin at rest have no jerk: their first steps follow their pulls, and errors fall with eta.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "host/time/direct_integrator.hpp"
#include "tests/support/double_pairs.hpp"

namespace multiwalk {
namespace {

struct Body {
  double mass;
  Vec3d position, velocity{};
};

Bodies at_rest(const std::vector<Body>& list) {
  Bodies bodies;
  bodies.resize(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    bodies.mass[i] = list[i].mass;
    bodies.position[i] = list[i].position;
    bodies.velocity[i] = list[i].velocity;
  }
  return bodies;
}

double energy(const Bodies& bodies, double softening) {
  double sum = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    sum += 0.5 * bodies.mass[i] * norm2(bodies.velocity[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3d d = bodies.position[i] - bodies.position[j];
      sum -= bodies.mass[i] * bodies.mass[j] / std::sqrt(norm2(d) + softening * softening);
    }
  }
  return sum;
}

/// Relative change of the energy up to a time.
double energy_error(const Bodies& begin, DirectSteps steps, double eta, double softening, double time) {
  DirectOptions options;
  options.steps = steps;
  options.eta = eta;
  options.eta_start = eta;
  options.max_step = 0.5;
  options.softening = softening;
  test::DoublePairs pairs;
  LocalForces forces{pairs};
  const auto integrator = make_direct_integrator(options, begin, {}, forces);
  integrator->advance(time);
  return std::fabs(energy(integrator->bodies(), softening) / energy(begin, softening) - 1);
}

void expect_errors_that_fall(const Bodies& begin, double softening, double time, double most) {
  for (const DirectSteps steps : {DirectSteps::block, DirectSteps::shared}) {
    const double coarse = energy_error(begin, steps, 0.02, softening, time);
    const double fine = energy_error(begin, steps, 0.02 / 16, softening, time);
    EXPECT_LT(coarse, most);
    EXPECT_LT(fine, coarse / 30);  // fourth order: eta^2, 256
  }
}

TEST(ColdStart, OfThreeBodiesTwoOfThemClose) {
  const double third = 1.0 / 3;
  expect_errors_that_fall(at_rest({{third, {0, 0, 0}}, {third, {0.02, 0, 0}}, {third, {1, 1, 0}}}), 0.005, 0.5, 1e-3);
}

TEST(ColdStart, OfThePythagoreanProblem) {
  expect_errors_that_fall(at_rest({{3, {1, 3, 0}}, {4, {-2, -1, 0}}, {5, {1, -1, 0}}}), 0, 1.5, 1e-4);
}

TEST(ColdStart, ABodyThatIsHardlyPulledWaitsForItsNeighbours) {
  // The pulls on the middle one cancel but for 1e-9 of them.
  expect_errors_that_fall(at_rest({{0.5, {-0.02, 0, 0}}, {1e-3, {1e-11, 0, 0}}, {0.5, {0.02, 0, 0}}, {1, {1, 0.3, 0}}}),
                          0.004, 0.5, 2e-3);
}

/// Its velocity gives the middle body a jerk, which however says nothing about the fall of the others.
TEST(ColdStart, ABodyWhosePullsCancelAmongBodiesThatHardlyMove) {
  constexpr double slow = 1e-12, softening = 0.004;
  const auto pull = [](double x) { return x / std::pow(x * x + softening * softening, 1.5); };
  const Bodies begin = at_rest({{0.5, {-0.02, 0, 0}, {0, slow, 0}},
                                {0.1, {0, 0, 0}, {0, 0, slow}},
                                {0.5 * pull(0.02) / pull(0.04), {0.04, 0, 0}, {0, -slow, 0}}});
  expect_errors_that_fall(begin, softening, 0.004, 1e-4);
}

}  // namespace
}  // namespace multiwalk
