// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/library/multiwalk_direct.h"
#include "tests/unit/host/direct/direct_models.hpp"

namespace multiwalk {
namespace {

using test::Cluster;
using test::DirectResults;

const double (*in(const std::vector<Vec3d>& v))[3] {
  return reinterpret_cast<const double(*)[3]>(v.data());
}
double (*out(std::vector<Vec3d>& v))[3] {
  return reinterpret_cast<double(*)[3]>(v.data());
}

struct Destroy {
  void operator()(multiwalk_direct_handle* handle) const { multiwalk_direct_destroy(handle); }
};
using Handle = std::unique_ptr<multiwalk_direct_handle, Destroy>;

Handle handle_with(const char* option, const char* value) {
  Handle handle(multiwalk_direct_create());
  EXPECT_EQ(multiwalk_direct_set(handle.get(), option, value), MULTIWALK_DIRECT_OK) << multiwalk_direct_message();
  return handle;
}

constexpr double eps2 = 1e-4;

class DirectLibraryTest : public testing::Test {
 protected:
  static constexpr int n = 150;
  Cluster cluster{n};
  DirectResults truth = test::summed(*make_scalar_direct_backend(), cluster, n, eps2);
  DirectResults got{n};

  int sum(multiwalk_direct_handle* handle, double softening2 = eps2) {
    return multiwalk_direct_sum(handle, in(cluster.position), in(cluster.velocity), cluster.mass.data(),
                                in(cluster.position), in(cluster.velocity), softening2, out(got.acceleration),
                                out(got.jerk), got.potential.data(), n, n);
  }
};

TEST_F(DirectLibraryTest, SimpleCallsGiveTheScalarLoopsForces) {
  EXPECT_EQ(multiwalk_direct_force(in(cluster.position), cluster.mass.data(), in(cluster.position), eps2,
                                   out(got.acceleration), n, n),
            MULTIWALK_DIRECT_OK);
  EXPECT_LT(test::worst(got.acceleration, truth.acceleration), 1e-6);
  EXPECT_EQ(multiwalk_direct_force_potential(in(cluster.position), cluster.mass.data(), in(cluster.position), eps2,
                                             out(got.acceleration), got.potential.data(), n, n),
            MULTIWALK_DIRECT_OK);
  EXPECT_LT(test::worst(got.potential, truth.potential), 1e-6);
  EXPECT_EQ(multiwalk_direct_force_jerk_potential(in(cluster.position), in(cluster.velocity), cluster.mass.data(),
                                                  in(cluster.position), in(cluster.velocity), eps2,
                                                  out(got.acceleration), out(got.jerk), got.potential.data(), n, n),
            MULTIWALK_DIRECT_OK);
  EXPECT_LT(test::worst(got.acceleration, truth.acceleration), 1e-6);
  EXPECT_LT(test::worst(got.jerk, truth.jerk), 2e-5);
}

TEST_F(DirectLibraryTest, TargetsOfTheirOwnFeelAllSources) {
  const std::vector<Vec3d> elsewhere(cluster.position);
  EXPECT_EQ(multiwalk_direct_force_potential(in(cluster.position), cluster.mass.data(), in(elsewhere), eps2,
                                             out(got.acceleration), got.potential.data(), n, n),
            MULTIWALK_DIRECT_OK);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(got.potential[i], truth.potential[i] - cluster.mass[i] / 0.01, 1e-5);
  }
}

TEST_F(DirectLibraryTest, EveryOptionIsTaken) {
  for (const auto& [option, values] : std::vector<std::pair<const char*, std::vector<const char*>>>{
           {"backend", {"auto", "cpu", "scalar"}},
           {"threads", {"0", "1", "3"}},
           {"accumulation", {"plain", "chamomile", "compensated", "mixed", "full"}},
           {"splitting", {"hi_lo", "single"}}}) {
    for (const char* value : values) {
      const Handle handle = handle_with(option, value);
      got = DirectResults(n);
      EXPECT_EQ(sum(handle.get()), MULTIWALK_DIRECT_OK) << option << " " << value;
      EXPECT_LT(test::worst(got.acceleration, truth.acceleration), 2e-5) << option << " " << value;
    }
  }
  const Handle full = handle_with("accumulation", "full");
  EXPECT_EQ(sum(full.get()), MULTIWALK_DIRECT_OK);
  EXPECT_LT(test::worst(got.acceleration, truth.acceleration), 2e-14);
  const Handle scalar = handle_with("backend", "scalar");
  EXPECT_NE(std::string(multiwalk_direct_description(scalar.get())).find("scalar"), std::string::npos);
  EXPECT_EQ(sum(scalar.get()), MULTIWALK_DIRECT_OK);
  EXPECT_EQ(got.potential, truth.potential);
}

TEST_F(DirectLibraryTest, AHandleMayChangeItsMind) {
  const Handle handle = handle_with("backend", "cpu");
  EXPECT_EQ(sum(handle.get()), MULTIWALK_DIRECT_OK);
  EXPECT_NE(got.potential, truth.potential);
  EXPECT_EQ(multiwalk_direct_set(handle.get(), "backend", "scalar"), MULTIWALK_DIRECT_OK);
  EXPECT_EQ(sum(handle.get()), MULTIWALK_DIRECT_OK);
  EXPECT_EQ(got.potential, truth.potential);
}

TEST_F(DirectLibraryTest, FailuresHaveAStatusAndAMessage) {
  const Handle handle(multiwalk_direct_create());
  const auto refused = [](int status, const char* said) {
    EXPECT_EQ(status, MULTIWALK_DIRECT_INVALID);
    EXPECT_NE(std::string(multiwalk_direct_message()).find(said), std::string::npos) << multiwalk_direct_message();
  };
  refused(multiwalk_direct_set(handle.get(), "colour", "red"), "no option 'colour'");
  refused(multiwalk_direct_set(handle.get(), "backend", "abacus"), "choose one of auto, cuda, cpu, scalar");
  refused(multiwalk_direct_set(handle.get(), "threads", "two"), "not a whole number");
  refused(multiwalk_direct_set(handle.get(), "threads", "-1"), "not a whole number");
  refused(multiwalk_direct_set(handle.get(), "threads", "100000"), "threads = 100000: at most");
  refused(multiwalk_direct_set(handle.get(), "threads", nullptr), "null");
  refused(multiwalk_direct_set(nullptr, "threads", "1"), "handle is a null pointer");
  refused(sum(handle.get(), -1), "eps2");
  refused(sum(handle.get(), NAN), "eps2");
  refused(sum(handle.get(), INFINITY), "eps2");
  refused(sum(handle.get(), 1e300), "eps2");
  const auto force = [&](const double(*xj)[3], double(*a)[3], int ni, int nj) {
    return multiwalk_direct_force(xj, cluster.mass.data(), in(cluster.position), eps2, a, ni, nj);
  };
  refused(force(nullptr, out(got.acceleration), n, n), "xj");
  refused(force(in(cluster.position), nullptr, n, n), "a is a null pointer");
  refused(force(in(cluster.position), out(got.acceleration), -1, n), "ni = -1");
  refused(force(in(cluster.position), out(got.acceleration), n, -2), "nj = -2");
  refused(force(in(cluster.position), out(got.acceleration), n, n - 1), "ni");
  EXPECT_EQ(force(nullptr, out(got.acceleration), n, 0), MULTIWALK_DIRECT_OK);
  for (const Vec3d& a : got.acceleration) EXPECT_EQ(a, Vec3d{});
  EXPECT_EQ(force(in(cluster.position), nullptr, 0, n), MULTIWALK_DIRECT_OK);
  refused(multiwalk_direct_sum(nullptr, in(cluster.position), nullptr, cluster.mass.data(), in(cluster.position),
                               in(cluster.velocity), eps2, nullptr, out(got.jerk), nullptr, n, n),
          "vj");
}

TEST_F(DirectLibraryTest, CudaWhereItIsNotIsUnavailable) {
  const Handle handle = handle_with("backend", "cuda");
  EXPECT_EQ(multiwalk_direct_set(handle.get(), "device", "999"), MULTIWALK_DIRECT_OK);
  EXPECT_EQ(sum(handle.get()), MULTIWALK_DIRECT_UNAVAILABLE);
  EXPECT_NE(std::string(multiwalk_direct_message()), "");
  EXPECT_STREQ(multiwalk_direct_description(handle.get()), "");
}

TEST_F(DirectLibraryTest, ADeviceThatIsNotThereIsUnavailable) {
  const Handle handle = handle_with("device", "99999");
  EXPECT_EQ(sum(handle.get()), MULTIWALK_DIRECT_UNAVAILABLE);
  EXPECT_NE(std::string(multiwalk_direct_message()).find("99999"), std::string::npos) << multiwalk_direct_message();
}

TEST_F(DirectLibraryTest, ADeviceIsNoChoiceOfTheCpu) {
  for (const char* backend : {"cpu", "scalar"}) {
    const Handle handle = handle_with("device", "0");
    EXPECT_EQ(multiwalk_direct_set(handle.get(), "backend", backend), MULTIWALK_DIRECT_OK);
    EXPECT_EQ(sum(handle.get()), MULTIWALK_DIRECT_INVALID);
    EXPECT_NE(std::string(multiwalk_direct_message()).find("device = 0"), std::string::npos);
  }
}

TEST_F(DirectLibraryTest, NumbersThatAreNoneAreInvalid) {
  const auto refused = [&](double& number, const char* said) {
    for (const double bad : {static_cast<double>(NAN), HUGE_VAL, -1e101}) {
      const double before = std::exchange(number, bad);
      EXPECT_EQ(sum(nullptr), MULTIWALK_DIRECT_INVALID) << said;
      EXPECT_NE(std::string(multiwalk_direct_message()).find(said), std::string::npos) << multiwalk_direct_message();
      number = before;
    }
  };
  refused(cluster.position[7].y, "xj[7]");
  refused(cluster.velocity[n - 1].z, "vj[149]");
  refused(cluster.mass[0], "mj[0]");
  const std::vector<Vec3d> elsewhere{{0, 0, 0}, {0, NAN, 0}};
  EXPECT_EQ(multiwalk_direct_force(in(cluster.position), cluster.mass.data(), in(elsewhere), eps2,
                                   out(got.acceleration), 2, n),
            MULTIWALK_DIRECT_INVALID);
  EXPECT_NE(std::string(multiwalk_direct_message()).find("xi[1]"), std::string::npos) << multiwalk_direct_message();
  EXPECT_EQ(sum(nullptr), MULTIWALK_DIRECT_OK);
}

TEST_F(DirectLibraryTest, ResultsBeyondAllNumbersAreInvalid) {
  for (const char* backend : {"cpu", "scalar"}) {
    const Handle handle = handle_with("backend", backend);
    for (std::size_t i = 0; i < n; ++i) cluster.position[i] = {1e-130 * static_cast<double>(i), 0, 0};
    EXPECT_EQ(sum(handle.get(), 0), MULTIWALK_DIRECT_INVALID);
    EXPECT_NE(std::string(multiwalk_direct_message()).find("is not finite"), std::string::npos);
  }
}

TEST_F(DirectLibraryTest, ATinySofteningCountsAsNone) {
  cluster.position[3] = cluster.position[4];
  const DirectResults exact = test::summed(*make_scalar_direct_backend(), cluster, n, 0);
  for (const char* backend : {"cpu", "scalar"}) {
    for (const char* accumulation : {"mixed", "full"}) {
      const Handle handle = handle_with("backend", backend);
      EXPECT_EQ(multiwalk_direct_set(handle.get(), "accumulation", accumulation), MULTIWALK_DIRECT_OK);
      EXPECT_EQ(sum(handle.get(), 1e-206), MULTIWALK_DIRECT_OK) << multiwalk_direct_message();
      EXPECT_LT(test::worst(got.acceleration, exact.acceleration), 1e-5) << backend << " " << accumulation;
      EXPECT_LT(test::worst(got.potential, exact.potential), 1e-5) << backend << " " << accumulation;
    }
  }
}

TEST_F(DirectLibraryTest, AFarBodyLeavesTheOthersForces) {
  cluster.position[n - 1] = {std::pow(10, 9.5), 0, 0};
  cluster.mass[n - 1] = 0;
  const DirectResults exact = test::summed(*make_scalar_direct_backend(), cluster, n, eps2);
  ASSERT_EQ(sum(nullptr), MULTIWALK_DIRECT_OK);
  got.acceleration.pop_back();
  EXPECT_LT(test::worst(got.acceleration, exact.acceleration), 1e-5);
}

TEST_F(DirectLibraryTest, ThreadsShareAHandleAndKeepTheirMessages) {
  const Handle handle = handle_with("threads", "2");
  ASSERT_EQ(sum(handle.get()), MULTIWALK_DIRECT_OK);
  std::array<int, 6> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      multiwalk_direct_handle* const mine = t % 2 == 0 ? handle.get() : nullptr;
      for (int repeat = 0; repeat < 20; ++repeat) {
        DirectResults results(n);
        const int status =
            multiwalk_direct_force_potential(in(cluster.position), cluster.mass.data(), in(cluster.position), eps2,
                                             out(results.acceleration), results.potential.data(), n, t == 5 ? -n : n);
        const bool failed = status != MULTIWALK_DIRECT_OK || std::string(multiwalk_direct_message()) != "";
        wrong[t] += failed != (t == 5);
        if (t == 5) continue;
        multiwalk_direct_sum(mine, in(cluster.position), nullptr, cluster.mass.data(), in(cluster.position), nullptr,
                             eps2, out(results.acceleration), nullptr, nullptr, n, n);
        wrong[t] += test::worst(results.acceleration, truth.acceleration) > 1e-6;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int w : wrong) EXPECT_EQ(w, 0);
}

}  // namespace
}  // namespace multiwalk
