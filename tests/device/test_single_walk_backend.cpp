// SPDX-License-Identifier: GPL-3.0-or-later
// The back ends that evaluate one walk per launch: the suite of all back ends, long and large walks, other trees.
#include <numeric>

#include "device/backends/single_walk_backend.hpp"
#include "host/exact/all_pairs.hpp"
#include "host/exact/reference_backend.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/backend_suite.hpp"

namespace multiwalk::device_test {
namespace {

class SingleWalks : public testing::TestWithParam<SingleWalk> {
 protected:
  void SetUp() override {
    std::string why;
    backend_ = make_single_walk_backend(GetParam(), {}, why);
    if (!backend_) GTEST_SKIP() << "no CUDA device: " << why;
  }
  std::unique_ptr<ForceBackend> backend_;
};

TEST_P(SingleWalks, AgreeWithDoublePrecision) {
  for (const MultipoleOrder order : {MultipoleOrder::monopole, MultipoleOrder::quadrupole}) {
    for (const double softening : {0.0, 0.02}) {
      for (const std::uint32_t group_size : {1U, 7U, 64U, 300U}) {
        const test::RandomWalks walks = test::random_walks(600, group_size, group_size);
        test::expect_agreement(*backend_, walks, {43.0, softening, order}, 3, 2, 2e-6);
      }
    }
  }
}

/// More targets than threads of a block, more ranges than a block numbers at once, ranges cut by parts of the sources.
TEST_P(SingleWalks, AgreeWithDoublePrecisionOnLargeWalks) {
  constexpr std::uint32_t n = 12000, nodes = 3000;
  std::mt19937_64 random(3);
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  for (const double softening : {0.0, 0.02}) {
    Problem problem = random_problem(n, nodes, 2);
    std::uint32_t first = 0;
    for (const std::uint32_t count : {1U, 31U, 255U, 256U, 257U, 700U, 2000U}) {
      std::vector<std::uint32_t> cells;
      for (std::uint32_t c = below(1500); c > 0; --c) cells.push_back(below(nodes));
      std::vector<ParticleRange> ranges{{first, count}};
      for (std::uint32_t r = below(900); r > 0; --r) ranges.push_back({n / 2 + below(n / 2 - 40), below(40)});
      ranges.push_back({n / 2, n / 2});
      problem.add_walk(problem.position[first], first, count, cells, ranges);
      first += count;
    }
    ASSERT_LE(first, n / 2);
    const PairLaw law{43.0, softening, MultipoleOrder::quadrupole};
    evaluate(*backend_, problem, law, problem.targets(), 2, 1);
    const Errors e = errors(problem, law);
    EXPECT_LT(e.pull, 5e-7);
    EXPECT_LT(e.potential, 5e-7);
  }
}

/// One walk of all particles, as the direct sums of `bench strategies` are.
TEST_P(SingleWalks, SumDirectly) {
  const std::string_view name = backend_->name();
  EXPECT_EQ(name, GetParam() == SingleWalk::i_parallel ? "cuda-i" : "cuda-j");
  const auto direct = make_all_pairs_backend(std::move(backend_));
  ParticleStore fast = test::plummer(5000), exact = fast;
  GravityOptions options;
  options.group_size = 5000;
  const PairLaw law{2, 0.02, MultipoleOrder::monopole};
  const ForceStatistics statistics = GravitySolver(options, *direct).accelerate(fast, law);
  GravitySolver(options, *make_reference_backend(true)).accelerate(exact, law);
  EXPECT_EQ(statistics.raw.walks, 1U);
  EXPECT_EQ(statistics.raw.particle_pairs, 5000U * 5000U);
  for (std::size_t i = 0; i < fast.size(); ++i) {
    const Vec3d a(exact.acceleration[i]);
    ASSERT_LT(norm(Vec3d(fast.acceleration[i]) - a), 1e-4 * norm(a)) << i;
    ASSERT_NEAR(fast.potential[i], exact.potential[i], 2e-6 * std::fabs(double{exact.potential[i]})) << i;
  }
}

TEST_P(SingleWalks, AddOtherTrees) {
  Problem own = random_problem(3000, 100, 4), other = random_problem(4000, 200, 5);
  for (std::uint32_t w = 0; w < 30; ++w) {
    own.add_walk(own.position[100 * w], 100 * w, 100, {w, w + 50}, {{100 * w, 100}});
    other.add_walk(own.position[100 * w], 100 * w, 100, {2 * w, 3 * w}, {{w, 3000}});
  }
  const PairLaw law{1.0, 0.02, MultipoleOrder::quadrupole};
  evaluate(*backend_, own, law, own.targets());
  const Problem before = own;
  evaluate(*backend_, other, law, own.targets(false));
  const Problem pull = own;
  own.acceleration = before.acceleration;
  own.potential = before.potential;
  evaluate(*backend_, other, law, own.targets(false, true));
  for (std::size_t i = 0; i < 3000; ++i) {
    ASSERT_GT(norm2(pull.acceleration[i]), 0.0F);
    ASSERT_EQ(own.acceleration[i], before.acceleration[i] + pull.acceleration[i]) << i;
    ASSERT_EQ(own.potential[i], before.potential[i] + pull.potential[i]) << i;
  }
}

TEST_P(SingleWalks, EmptyListsGiveZero) {
  expect_zero_of_empty_lists(*backend_);
}

TEST_P(SingleWalks, RefuseWhatCannotBe) {
  EXPECT_FALSE(backend_->evaluates({1, 0.1, MultipoleOrder::quadrupole, 2, {0.1, 0.6}}));
  Problem problem = random_problem(1000, 10, 7);
  problem.add_walk(problem.position[0], 950, 100, {1}, {});
  EXPECT_ANY_THROW(evaluate(*backend_, problem, {}, problem.targets(false)));
  CudaOptions options;
  std::string why;
  options.devices = {99};
  EXPECT_THROW(make_single_walk_backend(GetParam(), options, why), InputError);
  options.devices = {0, 0};
  EXPECT_THROW(make_single_walk_backend(GetParam(), options, why), InputError);
  options.devices = {0};
  options.memory_limit = 10000;
  const auto small = make_single_walk_backend(GetParam(), options, why);
  problem.batch.clear();
  problem.add_walk(problem.position[0], 0, 100, {1}, {});
  EXPECT_THROW(evaluate(*small, problem, {}, problem.targets(false)), InputError);
}

INSTANTIATE_TEST_SUITE_P(All, SingleWalks, testing::Values(SingleWalk::i_parallel, SingleWalk::j_parallel),
                         [](const auto& instance) {
                           return instance.param == SingleWalk::i_parallel ? "i_parallel" : "j_parallel";
                         });

}  // namespace
}  // namespace multiwalk::device_test
