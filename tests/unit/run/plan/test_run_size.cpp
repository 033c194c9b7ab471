// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <new>

#include "decomposition/ranks/agree.hpp"
#include "host/base/out_of_memory.hpp"
#include "run/machine/memory_limit.hpp"
#include "run/plan/run_size.hpp"

namespace multiwalk {
namespace {

constexpr double one_gib = 1024.0 * 1024 * 1024;

Parameters box(const std::string& more, int grid = 16) {
  return parse_parameters("[model]\nkind = \"box\"\nbox_size = 50\n[ic]\ngrid = " + std::to_string(grid) +
                              "\nz_start = 9\n[output]\nimages = false\npower = false\ncensus_epochs = 0\n" + more,
                          "test");
}

MemoryRoom room_of(double bytes) {
  return {bytes, bytes, "there is this much"};
}

/// The message of the refusal.
std::string refused_with(const Parameters& parameters, const RunShape& shape, const MemoryRoom& room) {
  try {
    judge_run_memory(parameters, shape, room);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

RunShape one_rank() {
  return {.ranks = 1, .program = 50e6};
}

double bytes_of(const Parameters& parameters, int ranks = 1) {
  return plan_memory(parameters, {.ranks = ranks, .program = 50e6}).peak();
}

TEST(RunSize, LargestGridIsTheLast) {
  const auto grid = largest_grid(box(""), one_rank(), 2 * one_gib);
  ASSERT_TRUE(grid);
  EXPECT_LE(bytes_of(box("", static_cast<int>(*grid))), 2 * one_gib);
  EXPECT_GT(bytes_of(box("", static_cast<int>(*grid) + 8)), 2 * one_gib);
  EXPECT_FALSE(largest_grid(box(""), one_rank(), 1e6));
}

TEST(RunSize, RefusalNamesTheLargestGrid) {
  const std::string text = refused_with(box("", 4096), one_rank(), room_of(2 * one_gib));
  const auto grid = largest_grid(box(""), one_rank(), 2 * one_gib);
  EXPECT_NE(text.find("a run of 68719476736 particles needs about"), std::string::npos) << text;
  EXPECT_NE(text.find("there is this much: the largest ic.grid that fits is " + std::to_string(*grid)),
            std::string::npos)
      << text;
}

TEST(RunSize, RefusalNamesTheOutputThatDoesNotFit) {
  for (const auto& [key, text] : {std::pair{"[grids]\ncells = 4096\n", "grids.cells = 4096"},
                                  {"[planes]\npixels = 32768\n", "planes.pixels = 32768"},
                                  {"[lightcone]\nshells = true\nnside = 16384\n", "lightcone.nside = 16384"},
                                  {"[force]\nmesh = 2048\n", "force.mesh = 2048"}}) {
    const std::string message = refused_with(box(key), one_rank(), room_of(4 * one_gib));
    EXPECT_NE(message.find(std::string("without ") + text + " it needs "), std::string::npos) << text << message;
    EXPECT_TRUE(message.ends_with(" MiB")) << message;
  }
  EXPECT_EQ(refused_with(box(""), one_rank(), room_of(4 * one_gib)), "");
}

TEST(RunSize, PlanMayBeOffByAFifth) {
  const Parameters parameters = box("", 64);
  const double bytes = bytes_of(parameters);
  EXPECT_EQ(judge_run_memory(parameters, one_rank(), room_of(1.3 * bytes)), "");
  EXPECT_NE(judge_run_memory(parameters, one_rank(), room_of(0.95 * bytes)).find("may not fit"), std::string::npos);
  EXPECT_NE(judge_run_memory(parameters, one_rank(), {1.3 * bytes, 0.5 * bytes, ""}).find("free now"),
            std::string::npos);
  EXPECT_NE(refused_with(parameters, one_rank(), room_of(0.9 * bytes)), "");
}

TEST(RunSize, RanksShareParticlesAndMeshes) {
  const Parameters parameters = box("[grids]\ncells = 512\n", 128);
  EXPECT_LT(bytes_of(parameters, 8) - 50e6, 0.25 * (bytes_of(parameters) - 50e6));
}

TEST(RunSize, DeviceOfEachRankMustHoldItsShare) {
  RunShape shape{.ranks = 1, .devices = 1, .device_walks = true, .program = 50e6, .device_room = one_gib};
  EXPECT_NE(refused_with(box("", 512), shape, room_of(1e15)).find("GPU memory"), std::string::npos);
  EXPECT_EQ(refused_with(box("", 64), shape, room_of(1e15)), "");
}

TEST(RunSize, FilesAreCounted) {
  EXPECT_EQ(planned_files(box(""), 1000, 3), 3 * 44000.0 + 80000);  // three snapshots and a checkpoint
  EXPECT_EQ(planned_files(box("snapshots = false\n[grids]\ncells = 10\n"), 1000, 3), 3 * 4000.0 + 80000);
  EXPECT_EQ(planned_outputs(box("redshifts = [8, 5]\n")), 3U);
}

TEST(RunSize, DiskOfAPathThatDoesNotExist) {
  const std::string path = testing::TempDir() + "/multiwalk_none/none";
  EXPECT_NO_THROW(require_disk(path, 1));
  EXPECT_THROW(require_disk(path, 1e21), InputError);
}

TEST(MemoryRoom, RefusesByNameWhatIsTooLarge) {
  EXPECT_NO_THROW(require_memory(1, "a number", {}));
  try {
    require_memory(1e18, "a mesh", {});
    FAIL();
  } catch (const SharedError& error) {
    EXPECT_EQ(std::string(error.what()).find("a mesh needs about 931322575 GiB of memory, but this machine"), 0U)
        << error.what();
  }
}

TEST(MemoryRoom, KnowsTheLimitsOfTheProcess) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_DATA, &before), 0);
  const std::uint64_t all = allocatable_memory();
  rlimit less = before;
  less.rlim_cur = std::uint64_t{1} << 40;  // sanitizers map terabytes, but not as data
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  EXPECT_LT(allocatable_memory(), std::uint64_t{1} << 40);
  less.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &less), 0);
  const std::uint64_t none = allocatable_memory();
  ASSERT_EQ(::setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EQ(none, 0U);
  EXPECT_EQ(allocatable_memory() == UINT64_MAX, all == UINT64_MAX);
}

TEST(OutOfMemory, SaysHowMuchWasAskedFor) {
  const OutOfMemory lack(std::size_t{3} << 30);
  EXPECT_STREQ(lack.what(), "out of memory: there is no room for an array of 3072 MiB");
  EXPECT_STREQ(lack_text(std::bad_alloc()).data(), "out of memory; `multiwalk plan` estimates how much a run needs");
}

}  // namespace
}  // namespace multiwalk
