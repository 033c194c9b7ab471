// SPDX-License-Identifier: GPL-3.0-or-later
// Pieces that a team works on while its leader moves them: each is worked on and moved once, in order, and a slot holds
// one piece at a time.
#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "host/base/piece_line.hpp"

namespace multiwalk {
namespace {

constexpr std::size_t pieces = 200, slots = 3;

/// Threads of the team, and whether work comes before the move.
class PieceLines : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  void SetUp() override { omp_set_num_threads(std::get<0>(GetParam())); }
  void TearDown() override { omp_set_num_threads(before_); }
  [[nodiscard]] static bool sends() { return std::get<1>(GetParam()); }
  [[nodiscard]] static PieceLine::Order order() {
    return sends() ? PieceLine::Order::worked_then_moved : PieceLine::Order::moved_then_worked;
  }

 private:
  int before_ = omp_get_max_threads();
};

TEST_P(PieceLines, WorkOnEachPieceAndMoveItOnce) {
  std::array<std::atomic<int>, slots> used{};
  std::array<std::atomic<int>, pieces> worked{}, moved{};
  std::size_t started = 0, ended = 0, polls = 0;
  std::atomic<int> wrong = 0;
  const auto enter = [&](std::size_t p) { wrong += used[p % slots]++ != 0; };
  const auto leave = [&](std::size_t p) { --used[p % slots]; };
  PieceLine::Steps steps;
  steps.work = [&](std::size_t p) {
    if (sends()) enter(p);
    wrong += !sends() && moved[p] != 2;
    ++worked[p];
    if (!sends()) leave(p);
  };
  steps.start = [&](std::size_t p) {
    wrong += p != started++;
    if (!sends()) enter(p);
    wrong += sends() && worked[p] != 1;
    ++moved[p];
  };
  steps.moved = [&](std::size_t p) {  // only the third call finds that the oldest move has ended
    wrong += p != ended || p >= started;
    if (++polls % 3 != 0) return false;
    ++moved[p];
    ++ended;
    if (sends()) leave(p);
    return true;
  };
  PieceLine(pieces, slots, order(), std::move(steps)).run();
  EXPECT_EQ(wrong, 0);
  for (std::size_t p = 0; p < pieces; ++p) {
    EXPECT_EQ(worked[p], 1) << p;
    EXPECT_GE(moved[p], 1) << p;
  }
}

TEST_P(PieceLines, EndAllThreadsWhenAMoveFails) {
  PieceLine::Steps steps;
  steps.work = [](std::size_t) {};
  steps.start = [](std::size_t p) {
    if (p == 20) throw std::runtime_error("move");
  };
  steps.moved = [](std::size_t) { return true; };
  EXPECT_THROW(PieceLine(pieces, slots, order(), std::move(steps)).run(), std::runtime_error);
}

TEST(PieceLine, MayHaveNoPieces) {
  PieceLine(0, slots, PieceLine::Order::moved_then_worked, {}).run();
  PieceLine(0, slots, PieceLine::Order::worked_then_moved, {}).run();
}

INSTANTIATE_TEST_SUITE_P(Teams, PieceLines, testing::Combine(testing::Values(1, 2, 5, 9), testing::Bool()));

}  // namespace
}  // namespace multiwalk
