// SPDX-License-Identifier: GPL-3.0-or-later
// Checkpoints: bit for bit, every flipped bit found, safe against kills and full disks.
#include <gtest/gtest.h>
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <random>
#include <stdexcept>

#include "decomposition/ranks/agree.hpp"
#include "run/snapshots/checkpoint.hpp"
#include "run/snapshots/checkpoint_format.hpp"
#include "tests/support/checkpoint_cases.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::expect_identical;
using test::read_bytes;
using test::TemporaryDirectory;
using test::write_bytes;

Checkpoint sample(std::uint64_t step, std::size_t n = 100, bool rungs = false) {
  std::mt19937_64 random(step + 1);
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.parameters = "[run]\ntitle = \"x\"\n";
  checkpoint.state = "{\"energy\": [1, 2]}";
  checkpoint.blobs = {{"light_cone", {std::byte{1}, std::byte{0}, std::byte{255}}},
                      {"fifteen_letters", {std::byte{7}}}};
  ParticleSystem& system = checkpoint.system;
  system.boundary = Boundary::periodic;
  system.time = 0.1 + 0.2;
  system.box_size = 120;
  system.spacing = 1.5;
  system.sphere_radius = 60;
  ParticleStore& p = system.particles;
  p.set_rungs(rungs);
  p.resize(n);
  for (std::size_t i = 0; i < n; ++i) test::set_particle(p, i, random);
  return checkpoint;
}

TEST(Checkpoint, RoundTripsBitForBit) {
  const TemporaryDirectory directory;
  for (const bool rungs : {false, true}) {
    // The last has blocks whose checksums several threads compute.
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{400000}}) {
      const Checkpoint written = sample(n, n, rungs);
      std::string warning = "old";
      expect_identical(read_checkpoint(write_checkpoint(directory.path(), written)), written);
      expect_identical(read_newest_checkpoint(directory.path(), warning), written);
      EXPECT_EQ(warning, "");
    }
  }
}

/// Most memory that the process has had, bytes.
double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

TEST(Checkpoint, WritingCopiesNoParticles) {
  const TemporaryDirectory directory;
  const Checkpoint written = sample(1, 500000);
  double bytes = 0;
  written.system.particles.for_each_array(
      [&bytes](const char*, const auto& array) { bytes += static_cast<double>(array.size() * sizeof(array[0])); });
  const double before = peak_memory();
  write_checkpoint(directory.path(), written);
  EXPECT_LT(peak_memory() - before, bytes / 4);
}

TEST(Checkpoint, ArraysMayBeAbsent) {
  const TemporaryDirectory directory;
  Checkpoint written = sample(1);
  written.system.particles.acceleration.clear();
  written.system.particles.key.clear();
  expect_identical(read_checkpoint(write_checkpoint(directory.path(), written)), written);
}

TEST(Checkpoint, KeepsTheLastTwo) {
  const TemporaryDirectory directory;
  write_bytes(directory / "snapshot_000.hdf5", "other");
  write_bytes(directory / "checkpoint_00000001.mwc.partial", "leftover");
  for (const std::uint64_t step : {5, 10, 20, 30}) write_checkpoint(directory.path(), sample(step));
  EXPECT_EQ(directory.count(), 3u);
  std::string warning;
  EXPECT_EQ(read_newest_checkpoint(directory.path(), warning).step, 30u);
  write_checkpoint(directory.path(), sample(25));
  EXPECT_EQ(read_newest_checkpoint(directory.path(), warning).step, 25u);
  EXPECT_EQ(directory.count(), 3u);
}

TEST(Checkpoint, TellsItsSizeAndCanBeKeptAlone) {
  const TemporaryDirectory directory;
  for (const std::uint64_t step : {5, 10}) {
    const std::string path = write_checkpoint(directory.path(), sample(step, 100 * step));
    EXPECT_EQ(checkpoint_bytes(path), std::filesystem::file_size(path));
  }
  EXPECT_EQ(checkpoint_bytes(directory / "checkpoint_00000007.mwc"), 0u);
  keep_one_checkpoint(directory.path(), 10);
  EXPECT_EQ(directory.count(), 1u);
  std::string warning;
  EXPECT_EQ(read_newest_checkpoint(directory.path(), warning).step, 10u);
}

TEST(Checkpoint, EveryFlippedByteIsFound) {
  const TemporaryDirectory directory;
  const std::string path = write_checkpoint(directory.path(), sample(7, 3));
  const std::string good = read_bytes(path);
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    write_bytes(path, bad);
    EXPECT_THROW(read_checkpoint(path), InputError) << "byte " << i;
  }
  write_bytes(path, good + "x");
  EXPECT_THROW(read_checkpoint(path), InputError);
  for (std::size_t length = 0; length < good.size(); length += 7) {
    write_bytes(path, good.substr(0, length));
    EXPECT_THROW(read_checkpoint(path), InputError) << length;
  }
}

TEST(Checkpoint, BlobsHaveShortNames) {
  const TemporaryDirectory directory;
  Checkpoint checkpoint = sample(1);
  checkpoint.blobs["sixteen__letters"] = {};
  EXPECT_THROW(write_checkpoint(directory.path(), checkpoint), Error);
}

TEST(Checkpoint, DamagedBlocksAreNamed) {
  const TemporaryDirectory directory;
  const Checkpoint written = sample(7);
  std::string last;
  written.system.particles.for_each_array([&](const char* name, const auto&) { last = name; });
  const std::string path = write_checkpoint(directory.path(), written);
  std::string bytes = read_bytes(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  write_bytes(path, bytes);
  try {
    read_checkpoint(path);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("block " + last), std::string::npos) << error.what();
  }
}

TEST(Checkpoint, FallsBackToTheOlderOneWithAWarning) {
  const TemporaryDirectory directory;
  write_checkpoint(directory.path(), sample(1));
  const std::string newer = write_checkpoint(directory.path(), sample(2));
  std::string bytes = read_bytes(newer);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  write_bytes(newer, bytes);
  std::string warning;
  expect_identical(read_newest_checkpoint(directory.path(), warning), sample(1));
  EXPECT_NE(warning.find(newer), std::string::npos) << warning;
  write_bytes(directory / "checkpoint_00000001.mwc", "short");
  EXPECT_THROW(read_newest_checkpoint(directory.path(), warning), InputError);
}

TEST(Checkpoint, SystemsThatCannotBeAreRefused) {
  const TemporaryDirectory directory;
  const std::vector<std::function<void(ParticleSystem&)>> changes{
      [](ParticleSystem& s) { s.frame = static_cast<Frame>(77); },
      [](ParticleSystem& s) { s.boundary = static_cast<Boundary>(-1); },
      [](ParticleSystem& s) { s.time = std::nan(""); },
      [](ParticleSystem& s) { s.box_size = -1; },
      [](ParticleSystem& s) { s.particles.mass[3] = -1; },
      [](ParticleSystem& s) { s.particles.position[3].x = HUGE_VAL; },
      [](ParticleSystem& s) { s.time = -5; },
      [](ParticleSystem& s) { s.box_size = 0; },
      [](ParticleSystem& s) { s.spacing = -1; },
      [](ParticleSystem& s) { s.sphere_radius = HUGE_VAL; },
      [](ParticleSystem& s) { s.particles.velocity[99].z = std::nanf(""); },
      [](ParticleSystem& s) { s.particles.acceleration[0].y = HUGE_VALF; },
      [](ParticleSystem& s) { s.particles.long_range[7].y = HUGE_VALF; },
      [](ParticleSystem& s) { s.particles.work[7] = -1; },
      [](ParticleSystem& s) { s.particles.rung[7] = 21; },
      [](ParticleSystem& s) { s.particles.velocity.clear(); },
      [](ParticleSystem& s) { s.particles.id.clear(); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Checkpoint checkpoint = sample(3, 100, true);
    changes[i](checkpoint.system);
    EXPECT_THROW(read_checkpoint(write_checkpoint(directory.path(), checkpoint)), InputError) << "change " << i;
  }
  Checkpoint newtonian = sample(3);
  newtonian.system.frame = Frame::newtonian;
  newtonian.system.time = -5;
  EXPECT_EQ(read_checkpoint(write_checkpoint(directory.path(), newtonian)).system.time, -5);
}

TEST(Checkpoint, BodiesThatCannotBeAreRefused) {
  const TemporaryDirectory directory;
  const std::vector<std::function<void(IntegratedBodies&)>> changes{
      [](IntegratedBodies&) {},
      [](IntegratedBodies& b) { b.bodies.mass[1] = -1; },
      [](IntegratedBodies& b) { b.bodies.mass[1] = std::nan(""); },
      [](IntegratedBodies& b) { b.bodies.position[2].x = HUGE_VAL; },
      [](IntegratedBodies& b) { b.bodies.velocity[2].y = std::nan(""); },
      [](IntegratedBodies& b) { b.bodies.acceleration[2].z = HUGE_VAL; },
      [](IntegratedBodies& b) { b.bodies.jerk[0].z = HUGE_VAL; },
      [](IntegratedBodies& b) { b.rung[0] = 41; },
      [](IntegratedBodies& b) { b.rung.resize(3); },
      [](IntegratedBodies& b) { b.bodies.jerk.clear(); },
      [](IntegratedBodies& b) { b.bodies.velocity.clear(); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Checkpoint checkpoint;
    checkpoint.system.frame = Frame::newtonian;
    checkpoint.direct.emplace();
    checkpoint.direct->bodies.resize(5);
    checkpoint.direct->rung.assign(5, 40);
    changes[i](*checkpoint.direct);
    const std::string path = write_checkpoint(directory.path(), checkpoint);
    if (i == 0) {
      EXPECT_EQ(read_checkpoint(path).direct->size(), 5U);
    } else {
      EXPECT_THROW(read_checkpoint(path), InputError) << "change " << i;
    }
  }
}

TEST(Checkpoint, PipesAndDirectoriesAreNone) {
  const TemporaryDirectory directory;
  write_checkpoint(directory.path(), sample(3));
  ASSERT_EQ(::mkfifo((directory / "checkpoint_99999999.mwc").c_str(), 0600), 0);
  std::filesystem::create_directory(directory / "checkpoint_99999998.mwc");
  std::string warning;
  EXPECT_EQ(read_newest_checkpoint(directory.path(), warning).step, 3U);
  EXPECT_THROW(read_checkpoint(directory / "checkpoint_99999999.mwc"), InputError);
}

TEST(Checkpoint, NewlinesInADirectoryAreNoEndOfItsName) {
  const TemporaryDirectory directory;
  const std::string strange = directory / "two\nlines";
  std::filesystem::create_directory(strange);
  write_checkpoint(strange, sample(3));
  std::string warning;
  EXPECT_EQ(read_newest_checkpoint(strange, warning).step, 3U);
}

TEST(Checkpoint, MissingOnesAreAnError) {
  const TemporaryDirectory directory;
  std::string warning;
  EXPECT_THROW(read_newest_checkpoint(directory.path(), warning), InputError);
  EXPECT_THROW(read_newest_checkpoint(directory / "none", warning), InputError);
  write_bytes(directory / "checkpoint_x.mwc", "");
  write_bytes(directory / "checkpoint_00000009.mwc.partial", "");
  EXPECT_THROW(read_newest_checkpoint(directory.path(), warning), InputError);
  EXPECT_THROW(write_checkpoint(directory / "none", sample(1)), SharedError);
}

TEST(Checkpoint, AFileSizeLimitLeavesTheOldOne) {
  const TemporaryDirectory directory;
  write_checkpoint(directory.path(), sample(1));
  {
    const test::FileSizeLimit limit(4096);
    EXPECT_THROW(write_checkpoint(directory.path(), sample(2)), SharedError);
  }
  EXPECT_EQ(directory.count(), 1u);
  std::string warning;
  expect_identical(read_newest_checkpoint(directory.path(), warning), sample(1));
}

TEST(Checkpoint, AFullDiskLeavesTheOldOne) {
  const TemporaryDirectory directory;
  const test::SmallTmpfs disk(directory.path(), "64k");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a tmpfs here";
  write_checkpoint(directory.path(), sample(1));
  try {
    write_checkpoint(directory.path(), sample(2, 2000));
    FAIL();
  } catch (const SharedError& error) {
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
  EXPECT_EQ(directory.count(), 1u);
  std::string warning;
  expect_identical(read_newest_checkpoint(directory.path(), warning), sample(1));
}

/// A child writes one checkpoint after the other, telling of each, until it is killed at a random moment.
class CheckpointingChild {
 public:
  static constexpr std::size_t particles = 100000;

  CheckpointingChild(const std::string& directory, std::uint64_t first_step) {
    if (::pipe(pipe_) != 0) throw std::runtime_error("pipe failed");
    child_ = ::fork();
    if (child_ != 0) return;
    omp_set_num_threads(1);  // the parent's threads are not the child's
    Checkpoint checkpoint = sample(0, particles);
    for (checkpoint.step = first_step;; ++checkpoint.step) {
      write_checkpoint(directory, checkpoint);
      if (::write(pipe_[1], "+", 1) != 1) ::_exit(1);
    }
  }
  ~CheckpointingChild() {
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  CheckpointingChild(const CheckpointingChild&) = delete;
  CheckpointingChild& operator=(const CheckpointingChild&) = delete;

  void kill_after_one_checkpoint_and(useconds_t microseconds) const {
    char told = 0;
    ASSERT_EQ(::read(pipe_[0], &told, 1), 1);
    ::usleep(microseconds);
    ASSERT_EQ(::kill(child_, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child_, nullptr, 0), child_);
  }

 private:
  int pipe_[2]{};
  pid_t child_ = -1;
};

TEST(Checkpoint, SurvivesKillsAtRandomMoments) {
  const TemporaryDirectory directory;
  std::mt19937 random(11);
  Checkpoint expected = sample(0, CheckpointingChild::particles);
  std::uint64_t step = 1;
  for (int kill_number = 0; kill_number < 8; ++kill_number) {
    const CheckpointingChild child(directory.path(), step);
    child.kill_after_one_checkpoint_and(random() % 30000);
    std::string warning;
    const Checkpoint found = read_newest_checkpoint(directory.path(), warning);
    EXPECT_EQ(warning, "");
    EXPECT_GE(found.step, step);
    expected.step = found.step;
    expect_identical(found, expected);
    step = found.step + 1;
  }
}

}  // namespace
}  // namespace multiwalk
