// SPDX-License-Identifier: GPL-3.0-or-later
// Snapshots over ranks: whatever numbers of ranks and files write and read them, the set is the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "run/hdf5/hdf5_shared_file.hpp"
#include "run/snapshots/snapshot_checksum.hpp"
#include "tests/mpi/shared_directory.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

using test::on_first_ranks;
using test::random_system;
using test::SharedDirectory;
using test::uneven_begin;

ParticleSystem slice(ParticleSystem system, std::size_t begin, std::size_t end) {
  ParticleStore& p = system.particles;
  const auto cut = [&](auto& values) {
    if (values.empty()) return;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(end), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  cut(p.position);
  cut(p.velocity);
  cut(p.mass);
  cut(p.id);
  cut(p.acceleration);
  cut(p.potential);
  cut(p.key);
  cut(p.work);
  return system;
}

ParticleSystem uneven_share(const ParticleSystem& whole, const Communicator& comm) {
  const std::size_t n = whole.particles.size();
  return slice(whole, uneven_begin(n, comm.rank(), comm.size()), uneven_begin(n, comm.rank() + 1, comm.size()));
}

void expect_same_rows(const ParticleStore& a, const ParticleStore& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.mass, b.mass);
  EXPECT_EQ(a.potential, b.potential);
}

/// Each reader has its even share of what one rank reads.
void expect_even_share(const std::string& path, const SnapshotInfo& whole, const Communicator& comm) {
  const SnapshotInfo mine = read_snapshot(path, comm);
  const std::size_t n = whole.particles, ranks = static_cast<std::size_t>(comm.size());
  const auto rank = static_cast<std::size_t>(comm.rank());
  const auto begin = [&](std::size_t r) { return n / ranks * r + std::min(r, n % ranks); };
  EXPECT_EQ(mine.particles, n);
  EXPECT_EQ(mine.system.box_size, whole.system.box_size);
  EXPECT_EQ(mine.system.spacing, whole.system.spacing);
  expect_same_rows(mine.system.particles, slice(whole.system, begin(rank), begin(rank + 1)).particles);
}

TEST(Snapshot, AnyRanksWriteAndAnyRanksRead) {
  for (const int writers : test::rank_counts())
    for (const int files : {1, 2, writers, writers + 2}) {
      const bool equal = (writers + files) % 2 == 0;
      const ParticleSystem whole = random_system(997, equal);
      const SharedDirectory directory;
      SnapshotOptions options;
      options.files = files;
      on_first_ranks(writers, [&](const Communicator& comm) {
        const auto paths = write_snapshot(directory / "s", uneven_share(whole, comm), {}, options, comm);
        EXPECT_EQ(paths.size(), static_cast<std::size_t>(files));
      });
      EXPECT_EQ(directory.count(), static_cast<std::size_t>(files));
      const std::string path = directory / (files == 1 ? "s.hdf5" : "s.1.hdf5");
      const SnapshotInfo read = read_snapshot(path);
      EXPECT_EQ(read.system.particles.id, whole.particles.id) << writers << " ranks, " << files << " files";
      EXPECT_EQ(read.system.particles.mass, whole.particles.mass);
      for (std::size_t i = 0; i < 997; ++i)
        EXPECT_NEAR(norm(read.system.particles.position[i] - whole.particles.position[i]), 0, 1e-12);
      EXPECT_EQ(hdf5::File::open(path).group("PartType1")->has("Masses"), !equal);
      for (const int readers : test::rank_counts())
        on_first_ranks(readers, [&](const Communicator& comm) { expect_even_share(path, read, comm); });
    }
}

/// Attributes are those of the file that a rank alone writes.
TEST(Snapshot, HeaderDoesNotDependOnTheRanks) {
  const SharedDirectory directory;
  const ParticleSystem whole = random_system(100);
  const std::string path = write_snapshot(directory / "ranks", uneven_share(whole, world()), {}, {}, world())[0];
  const std::string own = directory / ("alone" + std::to_string(world().rank()));
  write_snapshot(own, whole, {}, {});
  const hdf5::File a = hdf5::File::open(path), b = hdf5::File::open(own + ".hdf5");
  for (const char* name : {"NumPart_ThisFile", "NumPart_Total", "MassTable", "BoxSize", "Time"})
    EXPECT_EQ(a.group("Header")->numbers(name), b.group("Header")->numbers(name)) << name;
  EXPECT_EQ(a.group("Run")->numbers("origin"), b.group("Run")->numbers("origin"));
  for (const char* name : {"Coordinates", "Velocities", "ParticleIDs", "Potential"}) {
    const auto in_a = a.group("PartType1")->dataset(name), in_b = b.group("PartType1")->dataset(name);
    EXPECT_EQ(in_a.numbers("to_cgs"), in_b.numbers("to_cgs"));
    EXPECT_EQ(in_a.numbers("a_scaling"), in_b.numbers("a_scaling"));
  }
  world().barrier();
}

/// Several pieces per rank.
TEST(Snapshot, LargeSharesAreWrittenInPieces) {
  const SharedDirectory directory;
  const ParticleSystem whole = random_system(600000, false);
  const std::string path = write_snapshot(directory / "s", uneven_share(whole, world()), {}, {}, world())[0];
  const SnapshotInfo read = read_snapshot(path, world());
  const std::size_t begin = world().sum_before(read.system.particles.size());
  const ParticleSystem mine = slice(whole, begin, begin + read.system.particles.size());
  EXPECT_EQ(read.system.particles.id, mine.particles.id);
  EXPECT_EQ(read.system.particles.mass, mine.particles.mass);
}

TEST(Snapshot, ARankThatCannotWriteStopsAll) {
  for (const int limited : {0, world().size() - 1}) {
    const SharedDirectory directory;
    const ParticleSystem mine = uneven_share(random_system(60000), world());
    bool thrown = false;
    {
      const test::FileSizeLimit limit(world().rank() == limited ? 100000 : RLIM_INFINITY);
      try {
        write_snapshot(directory / "s", mine, {}, {}, world());
      } catch (const SharedError& error) {
        thrown = true;
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
    EXPECT_EQ(world().all(thrown), world().any(thrown));
    EXPECT_EQ(directory.count(), thrown ? 0u : 1u);
    if (limited == 0) {
      EXPECT_TRUE(thrown);
    }
    // With serial HDF5 rank 0 writes for all.
    if (!thrown) {
      EXPECT_EQ(read_snapshot(directory / "s.hdf5", world()).particles, 60000u);
    }
  }
}

TEST(Snapshot, AFullDiskStopsAll) {
  const SharedDirectory directory;
  std::optional<test::SmallTmpfs> disk;
  if (world().root()) disk.emplace(directory.path(), "1m");
  if (!world().any(disk && disk->mounted())) GTEST_SKIP() << "may not mount a tmpfs here";
  const ParticleSystem mine = uneven_share(random_system(60000), world());
  for (const int files : {1, 2, 7}) {
    SnapshotOptions options;
    options.files = files;
    try {
      write_snapshot(directory / "s", mine, {}, options, world());
      ADD_FAILURE() << "written onto a full disk";
    } catch (const SharedError& error) {
      EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
    }
    EXPECT_EQ(directory.count(), 0u);
  }
}

/// The one line that every rank must get.
void expect_refused_by_all(const std::string& path, const std::string& what) {
  std::string message;
  try {
    read_snapshot(path, world());
  } catch (const SharedError& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(what), std::string::npos) << message;
  EXPECT_EQ(message, world().broadcast(message));
}

TEST(Snapshot, FaultsOnOneRankAreRefusedByAll) {
  const SharedDirectory directory;
  const ParticleSystem whole = random_system(100);
  const auto written = [&](const std::string& name, const ParticleSystem& system) {
    if (world().root()) write_snapshot(directory / name, system, {}, {});
    world().barrier();
    return directory / (name + ".hdf5");
  };
  ParticleSystem bad = whole;
  bad.particles.velocity[99].y = std::numeric_limits<float>::quiet_NaN();
  expect_refused_by_all(written("nan", bad), "Velocities hold NaN or infinity (particle 99 ");
  bad = whole;
  bad.particles.id[99] = bad.particles.id[0];
  expect_refused_by_all(written("twice", bad), "not unique: " + std::to_string(bad.particles.id[0]));
  expect_refused_by_all(directory / "none.hdf5", "No such file");
  EXPECT_THROW(write_snapshot(directory / "none/s", uneven_share(whole, world()), {}, {}, world()), SharedError);
}

TEST(Snapshot, ChecksumsDoNotDependOnTheRanks) {
  ParticleSystem whole = random_system(1000);
  const ParticleStore mine = uneven_share(whole, world()).particles;
  const std::string ordered = ordered_checksum(whole.particles), set = set_checksum(whole.particles);
  EXPECT_EQ(ordered_checksum(mine, world()), ordered);
  EXPECT_EQ(set_checksum(mine, world()), set);
  std::ranges::reverse(whole.particles.position);
  std::ranges::reverse(whole.particles.velocity);
  EXPECT_NE(set_checksum(whole.particles), set);
  std::ranges::reverse(whole.particles.id);
  EXPECT_EQ(set_checksum(whole.particles), set);
  EXPECT_NE(ordered_checksum(whole.particles), ordered);
  whole.particles.velocity[5].z = -whole.particles.velocity[5].z;
  EXPECT_NE(set_checksum(whole.particles), set);
}

/// As after an error on one of them.
TEST(SharedFile, IsLeftWithoutWaitingForOtherRanks) {
  const SharedDirectory directory;
  const std::string path = directory / "shared.hdf5";
  collectively(world(), [&] {
    if (world().root()) hdf5::File::create(path).close();
  });
  static std::vector<std::unique_ptr<hdf5::SharedFile>> open;
  auto file = std::make_unique<hdf5::SharedFile>(path, world());
  if (world().root()) {
    file.reset();
  } else {
    open.push_back(std::move(file));
  }
  EXPECT_FALSE(world().any(false));
}

}  // namespace
}  // namespace multiwalk
