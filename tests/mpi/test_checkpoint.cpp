// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints over ranks: bit for bit on as many ranks, the same set on any other number.
#include <gtest/gtest.h>

#include <random>

#include "decomposition/ranks/agree.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/checkpoint_format.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/support/checkpoint_cases.hpp"
#include "tests/support/full_disk.hpp"

namespace multiwalk {
namespace {

using test::expect_identical;
using test::on_first_ranks;
using test::read_bytes;
using test::SharedDirectory;
using test::uneven_begin;
using test::write_bytes;

/// Rows [begin, end) of one system of 1000 particles, the same whoever holds them.
Checkpoint rows_of(std::uint64_t step, std::size_t begin, std::size_t end) {
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.parameters = "[run]\n";
  checkpoint.state = "{\"step\": " + std::to_string(step) + "}";
  checkpoint.system.time = 0.3;
  checkpoint.system.sphere_radius = 60;
  ParticleStore& p = checkpoint.system.particles;
  p.set_rungs(step % 2 == 1);
  p.resize(end - begin);
  for (std::size_t i = 0; i < p.size(); ++i) {
    std::mt19937_64 random(1000 * step + begin + i);
    test::set_particle(p, i, random);
  }
  return checkpoint;
}

constexpr std::size_t all_rows = 1000;

/// Rank 0 alone has blobs.
Checkpoint with_blob(Checkpoint checkpoint, const Communicator& comm) {
  if (comm.root()) checkpoint.blobs["light_cone"].assign(checkpoint.step, std::byte{3});
  return checkpoint;
}

Checkpoint uneven_part(std::uint64_t step, const Communicator& comm) {
  return with_blob(rows_of(step, uneven_begin(all_rows, comm.rank(), comm.size()),
                           uneven_begin(all_rows, comm.rank() + 1, comm.size())),
                   comm);
}

Checkpoint even_part(std::uint64_t step, const Communicator& comm) {
  const auto rank = static_cast<std::size_t>(comm.rank()), ranks = static_cast<std::size_t>(comm.size());
  const auto begin = [&](std::size_t r) { return all_rows / ranks * r + std::min(r, all_rows % ranks); };
  return with_blob(rows_of(step, begin(rank), begin(rank + 1)), comm);
}

TEST(Checkpoint, AnyRanksWriteAndAnyRanksRead) {
  for (const int writers : test::rank_counts()) {
    const SharedDirectory directory;
    on_first_ranks(writers, [&](const Communicator& comm) {
      EXPECT_EQ(write_checkpoint(directory.path(), uneven_part(7, comm), comm), directory / "checkpoint_00000007.mwc");
    });
    EXPECT_EQ(directory.count(), static_cast<std::size_t>(writers));
    for (const int readers : test::rank_counts())
      on_first_ranks(readers, [&](const Communicator& comm) {
        std::string warning = "old";
        const Checkpoint found = read_newest_checkpoint(directory.path(), warning, comm);
        EXPECT_EQ(warning, "");
        EXPECT_EQ(found.ranks, writers);
        expect_identical(found, readers == writers ? uneven_part(7, comm) : even_part(7, comm));
      });
  }
}

/// What the ranks find after `damage` was done by rank 0 to the newer of two checkpoints.
void expect_older(const std::string& what, const std::function<void(const SharedDirectory&)>& damage) {
  const SharedDirectory directory;
  for (const std::uint64_t step : {1, 2}) write_checkpoint(directory.path(), uneven_part(step, world()), world());
  if (world().root()) damage(directory);
  world().barrier();
  for (const int readers : test::rank_counts())
    on_first_ranks(readers, [&](const Communicator& comm) {
      std::string warning;
      const Checkpoint found = read_newest_checkpoint(directory.path(), warning, comm);
      EXPECT_NE(warning.find(what), std::string::npos) << warning;
      expect_identical(found, readers == world().size() ? uneven_part(1, comm) : even_part(1, comm));
    });
}

std::string last_part(const SharedDirectory& directory, int step) {
  const int part = world().size() - 1;
  const std::string stem = "checkpoint_0000000" + std::to_string(step);
  return directory / (part == 0 ? stem + ".mwc" : stem + ".part0000" + std::to_string(part) + ".mwc");
}

TEST(Checkpoint, ADamagedPartMakesAllTakeTheOlderOne) {
  expect_older("damaged block", [](const SharedDirectory& directory) {
    std::string bytes = read_bytes(last_part(directory, 2));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    write_bytes(last_part(directory, 2), bytes);
  });
  expect_older("bytes long",
               [](const SharedDirectory& directory) { std::filesystem::resize_file(last_part(directory, 2), 40); });
  if (world().alone()) return;
  expect_older("cannot be opened",
               [](const SharedDirectory& directory) { std::filesystem::remove(last_part(directory, 2)); });
  expect_older("another checkpoint", [](const SharedDirectory& directory) {
    std::filesystem::copy(last_part(directory, 1), last_part(directory, 2),
                          std::filesystem::copy_options::overwrite_existing);
  });
}

TEST(Checkpoint, APartOfAnotherWriteOfTheSameStepIsFound) {
  if (world().alone()) GTEST_SKIP() << "one part only";
  const SharedDirectory directory;
  write_checkpoint(directory.path(), uneven_part(1, world()), world());
  Checkpoint changed = uneven_part(2, world());
  write_checkpoint(directory.path(), changed, world());
  const std::string earlier = read_bytes(last_part(directory, 2));
  world().barrier();
  for (float& work : changed.system.particles.work) work += 1;
  write_checkpoint(directory.path(), changed, world());
  if (world().root()) write_bytes(last_part(directory, 2), earlier);
  world().barrier();
  std::string warning;
  expect_identical(read_newest_checkpoint(directory.path(), warning, world()), uneven_part(1, world()));
  EXPECT_NE(warning.find("another checkpoint"), std::string::npos) << warning;
}

TEST(Checkpoint, OnlyWholeOnesCount) {
  const SharedDirectory directory;
  write_checkpoint(directory.path(), uneven_part(1, world()), world());
  write_checkpoint(directory.path(), uneven_part(2, world()), world());
  if (world().root()) std::filesystem::remove(directory / "checkpoint_00000002.mwc");
  world().barrier();
  std::string warning;
  EXPECT_EQ(read_newest_checkpoint(directory.path(), warning, world()).step, 1u);
  EXPECT_EQ(warning, "");
}

TEST(Checkpoint, KeepsTheLastTwoWithAllTheirParts) {
  const SharedDirectory directory;
  const auto ranks = static_cast<std::size_t>(world().size());
  if (world().root()) {
    write_bytes(directory / "checkpoint_00000001.part00099.mwc", "orphan");
    write_bytes(directory / "checkpoint_00000001.part00098.mwc.partial", "leftover");
    write_bytes(directory / "snapshot_000.hdf5", "other");
  }
  world().barrier();
  for (const std::uint64_t step : {5, 6, 7, 8}) write_checkpoint(directory.path(), uneven_part(step, world()), world());
  EXPECT_EQ(directory.count(), 2 * ranks + 1);
  on_first_ranks(1, [&](const Communicator& comm) { write_checkpoint(directory.path(), even_part(7, comm), comm); });
  EXPECT_EQ(directory.count(), 2u);  // step 8 is abandoned, step 7 is rank 0's alone
  std::string warning;
  const Checkpoint found = read_newest_checkpoint(directory.path(), warning, world());
  EXPECT_EQ(found.ranks, 1);
  expect_identical(found, even_part(7, world()));
}

TEST(Checkpoint, ARankThatCannotWriteLeavesTheOldOne) {
  for (const int limited : {0, world().size() - 1}) {
    const SharedDirectory directory;
    write_checkpoint(directory.path(), uneven_part(1, world()), world());
    const std::size_t files = directory.count();
    {
      const test::FileSizeLimit limit(world().rank() == limited ? 300 : RLIM_INFINITY);
      EXPECT_THROW(write_checkpoint(directory.path(), uneven_part(2, world()), world()), SharedError);
    }
    EXPECT_EQ(directory.count(), files);
    std::string warning;
    expect_identical(read_newest_checkpoint(directory.path(), warning, world()), uneven_part(1, world()));
    EXPECT_EQ(warning, "");
  }
  std::string warning;
  EXPECT_THROW(read_newest_checkpoint("/nonexistent", warning, world()), SharedError);
}

}  // namespace
}  // namespace multiwalk
