// SPDX-License-Identifier: GPL-3.0-or-later
// A dying rank, for tests/program/test_watchdog.sh: these tests never pass, and run only when asked for.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "decomposition/ring/ring_forces.hpp"
#include "host/base/error.hpp"
#include "tests/mpi/world.hpp"

namespace multiwalk {
namespace {

bool chosen() {
  const char* rank = std::getenv("DYING_RANK");
  return rank != nullptr && std::atoi(rank) == world().rank();
}

TEST(Watchdog, DISABLED_ARankIsKilledWhileOthersWait) {
  world().barrier();
  if (chosen()) std::raise(SIGKILL);
  world().barrier();
}

TEST(Watchdog, DISABLED_ARankIsKilledWhileOthersWork) {
  world().barrier();
  if (chosen()) std::raise(SIGKILL);
  std::this_thread::sleep_for(std::chrono::minutes(5));
}

TEST(Watchdog, DISABLED_ARankFails) {
  if (chosen()) FAIL() << "the reason";
  world().barrier();
}

/// Sums nothing; the second sum of the chosen rank fails.
class FailingBackend : public DirectBackend {
 public:
  [[nodiscard]] std::string_view name() const override { return "failing"; }
  [[nodiscard]] std::string description() const override { return "fails"; }
  void sum(const DirectTask& /*task*/) override {
    if (++sums_ == 2 && chosen()) throw Error("the reason");
  }

 private:
  int sums_ = 0;
};

/// Another thread drives messages on meanwhile.
TEST(Watchdog, DISABLED_ASumOfTheRingFails) {
  constexpr std::size_t n = 12000;
  const std::vector<Vec3d> position(n);
  const std::vector<double> mass(n, 1.0);
  std::vector<Vec3d> acceleration(n);
  DirectTask task;
  task.source_position = task.target_position = position;
  task.source_mass = task.target_mass = mass;
  task.acceleration = acceleration;
  FailingBackend backend;
  RingForces ring(backend, world());
  try {
    ring.sum(task);
  } catch (const Error& error) {
    FAIL() << error.what();
  }
  world().barrier();
}

}  // namespace
}  // namespace multiwalk
