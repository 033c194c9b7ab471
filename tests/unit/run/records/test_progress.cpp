// SPDX-License-Identifier: GPL-3.0-or-later
// The progress bar fits its line, the time left is right, the log has a line per step; the machine and its meters
// answer.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "host/base/error.hpp"
#include "run/backends/tree_backend.hpp"
#include "run/files/atomic_file.hpp"
#include "run/machine/device_power.hpp"
#include "run/machine/machine.hpp"
#include "run/records/progress.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

StepRecord step_number(std::uint64_t number) {
  StepRecord step;
  step.step = number;
  step.a = 0.25;
  step.z = 3;
  step.raw = {100, 200, 3};
  step.seconds[0] = 0.5;
  step.particles_per_second = 3.1e5;
  return step;
}

TEST(Progress, BarFitsTheTerminal) {
  for (int columns : {1, 20, 60, 80, 200}) {
    for (double fraction : {-1.0, 0.0, 0.5, 1.0, 2.0, std::nan("")}) {
      EXPECT_LT(progress_bar(step_number(12), "z = 3.000", fraction, 100, columns).size(),
                static_cast<std::size_t>(columns))
          << fraction;
    }
  }
  const std::string bar = progress_bar(step_number(12), "z = 3.000", 0.5, 200, 120);
  for (const char* part : {"[====", "50%", "z = 3.000", "step 12", "310 kparticles/s", "3 min 20 s left"}) {
    EXPECT_NE(bar.find(part), std::string::npos) << part << " in " << bar;
  }
}

TEST(Progress, TimeLeftFollowsTheRecentRate) {
  TimeLeft left;
  EXPECT_TRUE(std::isinf(left.seconds()));
  for (int i = 0; i <= 30; ++i) left.add(i, 0.01 * i);
  EXPECT_NEAR(left.seconds(), 70, 1e-6);
  for (int i = 1; i <= 100; ++i) left.add(30 + 4 * i, 0.3 + 0.004 * i);
  EXPECT_NEAR(left.seconds(), 300, 3);
  left.add(1000, 1);
  EXPECT_EQ(left.seconds(), 0);
}

TEST(Progress, LogHasALinePerStepAndIsAppendedTo) {
  const auto directory = std::filesystem::temp_directory_path() / ("multiwalk_progress_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  for (int start = 0; start < 2; ++start) {
    testing::internal::CaptureStdout();
    Progress progress(directory.string(), ProgressStyle::lines);
    progress.message("hello");
    for (std::uint64_t i = 1; i <= 5; ++i) progress.step(step_number(i), 0.2 * static_cast<double>(i));
    progress.finish();
    const std::string shown = testing::internal::GetCapturedStdout();
    EXPECT_EQ(shown.find('\r'), std::string::npos);
    EXPECT_NE(shown.find("step     5"), std::string::npos);
    EXPECT_NE(shown.find("hello\n"), std::string::npos);
  }
  testing::internal::CaptureStdout();
  {
    Progress progress(directory.string(), ProgressStyle::lines);
    StepRecord last = step_number(6);
    last.a = 1;
    last.z = 0;
    last.time = 7.5;
    progress.step(last, 0.9);
    progress.step(step_number(7), 1);
    progress.step(last, 1);
  }
  const std::string epochs = testing::internal::GetCapturedStdout();
  EXPECT_NE(epochs.find("step     6  t = 7.5 "), std::string::npos) << epochs;
  EXPECT_NE(epochs.find("step     6  z = 0.000 "), std::string::npos) << epochs;
  const std::string log = read_whole_file((directory / "log.txt").string());
  EXPECT_EQ(std::ranges::count(log, '\n'), 15);
  EXPECT_NE(log.find("step      5  z = 3.000  a = 0.250000  0.5000 s  300 pairs  600 pairs/s"), std::string::npos)
      << log;
  std::filesystem::remove_all(directory);
  EXPECT_THROW(Progress("/dev/null/nowhere", ProgressStyle::lines), Error);
}

TEST(Progress, ShowsWhatTheStyleSays) {
  const auto shown = [](ProgressStyle style) {
    const test::TemporaryDirectory directory;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Progress progress(directory.path(), style);
    progress.message("plain");
    progress.message("WARNING: odd");
    progress.milestone("output");
    progress.step(step_number(5), 1);
    progress.finish();
    EXPECT_EQ(std::ranges::count(test::read_bytes(directory / "log.txt"), '\n'), 4);
    return testing::internal::GetCapturedStdout() + "|" + testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(shown(ProgressStyle::none), "|WARNING: odd\n");
  EXPECT_EQ(shown(ProgressStyle::outputs), "WARNING: odd\noutput\n|");
  EXPECT_EQ(shown(ProgressStyle::lines).find("plain\nWARNING: odd\noutput\nstep     5  z = 3.000"), 0U);
}

TEST(Progress, NamesInMessagesStayOnTheirLine) {
  const test::TemporaryDirectory directory;
  testing::internal::CaptureStdout();
  Progress(directory.path(), ProgressStyle::lines).message("wrote a\nb\x1b[31m\xc2\x9b.mwc");
  const std::string expected = R"(wrote a\nb\x1b[31m\xc2\x9b.mwc)";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected + "\n");
  EXPECT_NE(test::read_bytes(directory / "log.txt").find("  " + expected + "\n"), std::string::npos);
}

TEST(Progress, CanBeShownElsewhere) {
  const test::TemporaryDirectory directory;
  std::string shown, plain;
  testing::internal::CaptureStdout();
  {
    Progress progress(directory.path(), ProgressStyle::automatic, [&](const std::string& text) { shown += text; });
    progress.step(step_number(3), 0.5);
    progress.message("done");
    Progress(directory.path(), ProgressStyle::lines, [&](const std::string& text) {
      plain += text;
    }).step(step_number(3), 0.5);
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_TRUE(shown.starts_with("\r\033[K[===")) << shown;
  EXPECT_TRUE(shown.ends_with("done\n")) << shown;
  EXPECT_TRUE(plain.starts_with("step     3")) << plain;
}

TEST(Machine, IsDescribed) {
  const Machine machine = this_machine();
  EXPECT_GE(machine.cores, 1U);
  EXPECT_GT(machine.memory, std::uint64_t{1} << 28);
  EXPECT_FALSE(machine.system.empty());
  EXPECT_EQ(describe({"CPU", 4, std::uint64_t{8} << 30, {"H200", "H200", "A100"}, "Linux", "g++ 12"}),
            "CPU, 4 cores, 8 GiB; 2 x H200; 1 x A100; Linux; g++ 12");
}

TEST(DevicePower, NullWithoutDevicesAndSaneWithThem) {
  EXPECT_FALSE(DevicePower({}).joules());
  EXPECT_FALSE(DevicePower({"0000:ff:1f.7"}).joules());
  std::string ignored;
  for (const VisibleDevice& device : visible_devices(ignored)) {
    const auto joules = DevicePower({device.bus_id.data()}).joules();
    if (!joules) continue;
    EXPECT_GE(*joules, 0);
    EXPECT_LT(*joules, 1e4);
  }
}

}  // namespace
}  // namespace multiwalk
