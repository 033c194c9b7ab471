// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "host/base/error.hpp"
#include "run/outputs/work_aside.hpp"

namespace multiwalk {
namespace {

using namespace std::chrono_literals;

TEST(WorkAside, GoesOnBesideTheCallerWithItsOwnThreads) {
  WorkAside aside;
  std::atomic<bool> may_end{false};
  int threads = 0;
  aside.start(
      [&] {
        while (!may_end) std::this_thread::sleep_for(1ms);
        threads = omp_get_max_threads();
      },
      3);
  aside.check();  // returns although the work goes on
  may_end = true;
  aside.wait();
  EXPECT_EQ(threads, 3);
  EXPECT_GT(aside.seconds(), 0);
  aside.wait();  // returns at once: there is no work
}

TEST(WorkAside, ThrowsWhatTheWorkThrewAndWorksOn) {
  WorkAside aside;
  const auto fail = [] { throw Error("the disk is full"); };
  aside.start(fail, 1);
  EXPECT_THROW(aside.wait(), Error);
  aside.start(fail, 1);
  const auto until_noticed = [&] {
    for (;; std::this_thread::sleep_for(1ms)) aside.check();
  };
  EXPECT_THROW(until_noticed(), Error);
  bool done = false;
  aside.start([&] { done = true; }, 1);
  aside.wait();
  EXPECT_TRUE(done);
}

TEST(WorkAside, IsDoneAtTheEndOfItsLife) {
  std::atomic<bool> done{false};
  {
    WorkAside aside;
    aside.start(
        [&] {
          std::this_thread::sleep_for(20ms);
          done = true;
        },
        1);
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace multiwalk
