// A dying rank, for tests/support/test_watchdog.sh: these tests never pass, and run only when asked for.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

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

}  // namespace
}  // namespace multiwalk
