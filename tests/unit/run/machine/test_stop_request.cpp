// SPDX-License-Identifier: GPL-3.0-or-later
// A run is stopped by signals, by those who ask, by a file and by its time limit; handlers are as before afterwards.
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <utility>

#include "host/base/phase_timer.hpp"
#include "run/files/atomic_file.hpp"
#include "run/machine/stop_request.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

int seen = 0;
void see(int /*signal*/) {
  ++seen;
}

TEST(StopRequest, LeavesHandlersAsTheyWere) {
  const test::TemporaryDirectory directory;
  std::signal(SIGUSR1, see);
  {
    const StopRequest stop(directory.path(), 0, wall_time());
    std::raise(SIGUSR1);
    EXPECT_EQ(stop.reason(0), "caught SIGUSR1");
  }
  EXPECT_EQ(seen, 0);
  std::raise(SIGUSR1);
  EXPECT_EQ(seen, 1);
  const StopRequest stop(directory.path(), 0, wall_time(), false);
  std::raise(SIGUSR1);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(stop.reason(0), "");
  std::signal(SIGUSR1, SIG_DFL);
}

/// As runs in threads may: the handlers before the first are back after the last, whichever ends first.
TEST(StopRequest, RunsMayEndInAnyOrder) {
  const test::TemporaryDirectory directory;
  seen = 0;
  std::signal(SIGUSR1, see);
  auto first = std::make_unique<StopRequest>(directory.path(), 0, wall_time());
  auto second = std::make_unique<StopRequest>(directory.path(), 0, wall_time());
  first.reset();
  std::raise(SIGUSR1);
  EXPECT_EQ(second->reason(0), "caught SIGUSR1");
  second.reset();
  EXPECT_EQ(seen, 0);
  std::raise(SIGUSR1);
  EXPECT_EQ(seen, 1);
  std::signal(SIGUSR1, SIG_DFL);
}

TEST(StopRequest, HeedsEverySignalThatAnnouncesTheEnd) {
  const test::TemporaryDirectory directory;
  for (const auto& [signal, reason] : {std::pair(SIGTERM, "caught SIGTERM"), std::pair(SIGINT, "caught SIGINT"),
                                       std::pair(SIGHUP, "caught SIGHUP"), std::pair(SIGUSR1, "caught SIGUSR1"),
                                       std::pair(SIGUSR2, "caught SIGUSR2"), std::pair(SIGXCPU, "caught SIGXCPU")}) {
    const StopRequest stop(directory.path(), 0, wall_time());
    std::raise(signal);
    EXPECT_EQ(stop.reason(0), reason);
    std::raise(SIGUSR2);  // batch systems go on to others
    std::raise(SIGXCPU);
    EXPECT_EQ(stop.reason(0), reason);
  }
}

TEST(StopRequest, TellsWhyItStops) {
  const test::TemporaryDirectory directory;
  StopRequest stop(directory.path(), 1000, wall_time(), false);
  EXPECT_EQ(stop.reason(0), "");
  EXPECT_EQ(stop.reason(2000), "the wall-clock limit is near");
  write_file_atomically(directory / "stop", "");
  EXPECT_EQ(stop.reason(0), "found the file " + directory / "stop");
  stop.ask("enough");
  EXPECT_EQ(stop.reason(0), "enough");
}

}  // namespace
}  // namespace multiwalk
