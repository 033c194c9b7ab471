// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "decomposition/ranks/communicator.hpp"

namespace multiwalk {

namespace {

using std::chrono::microseconds;

void call_that_moves_a_piece() {
  std::this_thread::sleep_for(microseconds(20));
}

/// Till the pause is at least that long, as nothing moves.
microseconds idle_until(microseconds least, PollBackoff& patience) {
  for (;;) {
    const microseconds pause = patience.after([] {});
    if (pause >= least) return pause;
  }
}

TEST(PollBackoff, PausesGrowWhileNothingMovesAndStayBelowAMillisecond) {
  PollBackoff patience;
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(patience.after(call_that_moves_a_piece), microseconds(0));
  EXPECT_GE(idle_until(microseconds(3), patience), microseconds(3));
  EXPECT_GE(std::chrono::steady_clock::now() - began, microseconds(200));
  std::this_thread::sleep_for(microseconds(20000));
  EXPECT_EQ(patience.after([] {}), microseconds(1000));
}

TEST(PollBackoff, APieceIsFollowedAtOnceHoweverLateItCame) {
  PollBackoff patience;
  idle_until(microseconds(100), patience);
  EXPECT_EQ(patience.after(call_that_moves_a_piece), microseconds(0));
}

}  // namespace

}  // namespace multiwalk
