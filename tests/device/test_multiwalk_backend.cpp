// SPDX-License-Identifier: GPL-3.0-or-later
// The CUDA back end around its kernel: devices, lanes, batches, memory limits, accumulation, times.
#include <omp.h>

#include <algorithm>
#include <cstring>

#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "host/solver/gravity_solver.hpp"
#include "tests/device/random_walks.hpp"
#include "tests/support/models.hpp"

namespace multiwalk::device_test {
namespace {

class MultiwalkBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (!backend_or_null()) GTEST_SKIP() << "no CUDA device";
  }
};

const PairLaw usual_law{1.0, 0.02, MultipoleOrder::quadrupole};

/// `walks` groups of up to 120 neighbours with lists of a few hundred entries each.
Problem many_walks(std::uint32_t walks, unsigned seed) {
  const std::uint32_t n = 100 * walks, nodes = 2000;
  Problem problem = random_problem(n, nodes, seed);
  std::mt19937_64 random(seed);
  for (std::uint32_t w = 0; w < walks; ++w) {
    std::vector<std::uint32_t> cells;
    for (std::uint32_t c = 0; c < 200 + w % 50; ++c) cells.push_back(static_cast<std::uint32_t>(random() % nodes));
    std::vector<ParticleRange> ranges{{w * 100, 100}};
    for (std::uint32_t r = 0; r < 20 + w % 30; ++r) {
      const std::uint32_t other = (w + 1 + static_cast<std::uint32_t>(random() % (walks - 1))) % walks;
      ranges.push_back({100 * other, 1 + static_cast<std::uint32_t>(random() % 99)});
    }
    problem.add_walk(problem.position[100 * w], 100 * w, 100, cells, ranges);
  }
  return problem;
}

bool same_results(const Problem& a, const Problem& b) {
  return std::memcmp(a.acceleration.data(), b.acceleration.data(), a.acceleration.size() * sizeof(Vec3f)) == 0 &&
         std::memcmp(a.potential.data(), b.potential.data(), a.potential.size() * sizeof(float)) == 0;
}

TEST_F(MultiwalkBackend, DevicesDescribeThemselves) {
  std::string why;
  const std::vector<DeviceDescription> devices = find_devices(why);
  ASSERT_FALSE(devices.empty()) << why;
  EXPECT_TRUE(devices[0].fault.empty()) << devices[0].fault;
  EXPECT_GE(devices[0].major, 8);
  EXPECT_GT(devices[0].multiprocessors, 0);
  EXPECT_GT(devices[0].memory_free, 0U);
  EXPECT_LE(devices[0].memory_free, devices[0].memory);
  const auto backend = make_cuda_backend({}, why);
  EXPECT_EQ(backend->name(), "cuda");
  EXPECT_NE(backend->description().find(devices[0].name), std::string::npos);
  EXPECT_NE(why.find(devices[0].name), std::string::npos) << why;
}

TEST_F(MultiwalkBackend, RefusesADeviceThatDoesNotExist) {
  CudaOptions options;
  options.devices = {99};
  std::string why;
  EXPECT_THROW(make_cuda_backend(options, why), InputError);
}

TEST_F(MultiwalkBackend, LanesAndBatchesDoNotChangeResults) {
  Problem one = many_walks(300, 11), many = many_walks(300, 11);
  const auto backend = backend_or_null();
  evaluate(*backend, one, usual_law, one.targets());
  EXPECT_LT(errors(one, usual_law).pull, 5e-7);
  for (const int lanes : {1, 3, 8}) {
    many.reset();
    evaluate(*backend, many, usual_law, many.targets(), lanes, 5);
    EXPECT_TRUE(same_results(one, many)) << lanes << " lanes";
  }
}

/// Three source trees one after another, as a rank among others has them; the targets are those of the first.
TEST_F(MultiwalkBackend, UnchangedTargetsNeedNoSecondUpload) {
  for (const int devices : {1, 2}) {
    CudaOptions options;
    options.devices.assign(static_cast<std::size_t>(devices), 0);
    Problem own = many_walks(200, 13), uploaded = many_walks(200, 13);
    std::vector<Problem> others{many_walks(300, 14), many_walks(200, 15)};
    const auto keeping = backend_or_null(options), sending = backend_or_null(options);
    for (int evaluation = 0; evaluation < 2; ++evaluation) {
      own.reset();
      uploaded.reset();
      evaluate(*keeping, own, usual_law, own.targets(), 2, 7);
      evaluate(*sending, uploaded, usual_law, uploaded.targets(), 2, 7);
      EXPECT_TRUE(same_results(own, uploaded));
      const Problem before = own;
      for (Problem& other : others) {
        other.batch.walks.resize(200);
        TargetView targets = own.targets(false, true);
        targets.unchanged = true;
        evaluate(*keeping, other, usual_law, targets, 2, 7);
        evaluate(*sending, other, usual_law, uploaded.targets(false, true), 2, 7);
      }
      EXPECT_TRUE(same_results(own, uploaded)) << "evaluation " << evaluation << ", " << devices << " devices";
      EXPECT_FALSE(same_results(own, before));
    }
  }
}

TEST_F(MultiwalkBackend, TwoDevicesShareTheLanes) {
  Problem one = many_walks(100, 12), two = many_walks(100, 12);
  evaluate(*backend_or_null(), one, usual_law, one.targets());
  CudaOptions options;
  options.devices = {0, 0};
  evaluate(*backend_or_null(options), two, usual_law, two.targets(), 4, 3);
  EXPECT_TRUE(same_results(one, two));
}

/// Each device takes some of the groups, so all must use the kernel for groups of this size.
TEST_F(MultiwalkBackend, TwoDevicesGiveTheForcesOfOne) {
  const ParticleStore particles = test::plummer(40000);
  GravityOptions options;
  CudaOptions two;
  two.devices = {0, 0};
  for (const std::uint32_t size : {64U, 512U}) {
    options.group_size = size;
    ParticleStore by_one = particles, by_two = particles;
    GravitySolver(options, *backend_or_null()).accelerate(by_one, usual_law);
    GravitySolver(options, *backend_or_null(two)).accelerate(by_two, usual_law);
    by_one = test::in_order_of_ids(std::move(by_one)), by_two = test::in_order_of_ids(std::move(by_two));
    EXPECT_TRUE(std::ranges::equal(by_one.acceleration, by_two.acceleration)) << size;
    EXPECT_TRUE(std::ranges::equal(by_one.potential, by_two.potential)) << size;
  }
}

TEST_F(MultiwalkBackend, SecondTreeIsAdded) {
  Problem first = many_walks(50, 13), second = random_problem(5000, 500, 14);
  const auto backend = backend_or_null();
  evaluate(*backend, first, usual_law, first.targets());
  const std::vector<Vec3f> own = first.acceleration;
  const std::vector<float> own_potential = first.potential;

  // The other tree's particles pull the first problem's targets.
  std::vector<Vec3f> pull(first.position.size());
  std::vector<float> potential(first.position.size());
  for (std::uint32_t w = 0; w < 50; ++w) second.add_walk(first.position[100 * w], 100 * w, 100, {w, 2 * w}, {{w, 400}});
  TargetView targets = first.targets(false);
  targets.acceleration = pull;
  targets.potential = potential;
  evaluate(*backend, second, usual_law, targets);
  evaluate(*backend, second, usual_law, first.targets(false, true));
  for (std::size_t i = 0; i < pull.size(); ++i) {
    ASSERT_GT(norm2(pull[i]), 0.0F);
    ASSERT_EQ(first.acceleration[i], own[i] + pull[i]) << i;
    ASSERT_EQ(first.potential[i], own_potential[i] + potential[i]) << i;
  }
}

TEST_F(MultiwalkBackend, AWalkLongerThanABatchIsEvaluated) {
  CudaOptions options;
  options.batch_entries = 1024;
  const auto backend = backend_or_null(options);
  EXPECT_EQ(backend->batch_entries(), 1024U);
  Problem problem = random_problem(60000, 100, 15);
  std::vector<ParticleRange> ranges;
  for (std::uint32_t i = 0; i < 60000; i += 2) ranges.push_back({i, 1});
  std::vector<std::uint32_t> cells(30000);
  for (std::uint32_t i = 0; i < cells.size(); ++i) cells[i] = i % 100;
  problem.add_walk(problem.position[0], 0, 60, cells, ranges);
  problem.add_walk(problem.position[60], 60, 60, {}, {{60, 60}});
  evaluate(*backend, problem, {1.0, 0.02, MultipoleOrder::monopole}, problem.targets(false));
  PairLaw monopole = usual_law;
  monopole.order = MultipoleOrder::monopole;
  EXPECT_LT(errors(problem, monopole, false).potential, 5e-7);
}

TEST_F(MultiwalkBackend, SmallMemoryMeansSmallBatches) {
  Problem free = many_walks(300, 16), tight = many_walks(300, 16);
  evaluate(*backend_or_null(), free, usual_law, free.targets());
  CudaOptions options;
  options.memory_limit = (28 * 30000 + 64 * 2000) * 17 / 16 + 3 * 80000;  // the arrays, and 80 kB for each batch
  const BackendTimes times = evaluate(*backend_or_null(options), tight, usual_law, tight.targets());
  EXPECT_TRUE(same_results(free, tight));
  EXPECT_GT(times.device, 0);
}

TEST_F(MultiwalkBackend, TooLittleMemoryIsSaid) {
  CudaOptions options;
  options.memory_limit = 1000000;
  const auto backend = backend_or_null(options);
  Problem large = many_walks(1000, 17), small = many_walks(50, 18);
  try {
    evaluate(*backend, large, usual_law, large.targets());
    FAIL() << "100000 particles were held in 1 MB";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("100000 particles"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("--set"), std::string::npos) << e.what();
  }
  EXPECT_TRUE(std::isnan(large.potential[0]));
  evaluate(*backend, small, usual_law, small.targets());
  EXPECT_LT(errors(small, usual_law).pull, 5e-7);
}

TEST_F(MultiwalkBackend, AWalkThatNeverFitsIsSaid) {
  CudaOptions options;
  options.memory_limit = 1000000;
  const auto backend = backend_or_null(options);
  Problem problem = random_problem(1000, 10, 19);
  problem.add_walk(problem.position[0], 0, 100, std::vector<std::uint32_t>(400000, 3), {});
  EXPECT_THROW(evaluate(*backend, problem, usual_law, problem.targets(false)), InputError);
  EXPECT_TRUE(std::isnan(problem.potential[0]));
}

TEST_F(MultiwalkBackend, WrongListsAreRefused) {
  const auto backend = backend_or_null();
  Problem problem = random_problem(1000, 10, 20);
  problem.add_walk(problem.position[0], 950, 100, {1}, {});
  EXPECT_ANY_THROW(evaluate(*backend, problem, usual_law, problem.targets(false)));
  problem.batch.clear();
  problem.add_walk(problem.position[0], 0, 100, {1}, {});
  evaluate(*backend, problem, usual_law, problem.targets(false));
  EXPECT_LT(errors(problem, usual_law, false).pull, 5e-7);
}

TEST_F(MultiwalkBackend, TimesAreWithinTheWallTime) {
  Problem problem = many_walks(300, 21);
  const auto backend = backend_or_null();
  evaluate(*backend, problem, usual_law, problem.targets(), 4, 10);
  const double start = wall_time();
  const BackendTimes times = evaluate(*backend, problem, usual_law, problem.targets(), 4, 10);
  const double wall = wall_time() - start;
  EXPECT_GT(times.device, 0);
  EXPECT_LT(times.device, wall);
  EXPECT_GT(times.transfer, 0);
  EXPECT_GE(times.wait, 0);
  EXPECT_LT(times.wait, 5 * wall);
}

TEST_F(MultiwalkBackend, NoParticlesIsNoWork) {
  Problem problem;
  const BackendTimes times = evaluate(*backend_or_null(), problem, usual_law, problem.targets());
  EXPECT_EQ(times.device, 0);
}

}  // namespace
}  // namespace multiwalk::device_test
