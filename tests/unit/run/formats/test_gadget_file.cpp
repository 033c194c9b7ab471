// SPDX-License-Identifier: GPL-3.0-or-later
// GADGET's binary files: every variant that is read, and every damage that is found.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "host/base/error.hpp"
#include "run/formats/gadget_file.hpp"
#include "tests/support/gadget_bytes.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::four_particles;
using test::GadgetBytes;
using test::TemporaryDirectory;

class GadgetFiles : public testing::Test {
 protected:
  void write(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  /// The message of the InputError, on one line, with the file's name.
  std::string complaint(const std::string& bytes) {
    write(bytes);
    try {
      const GadgetFile file(path_);
    } catch (const InputError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.find(path_ + ": "), 0U) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      return what;
    }
    return "accepted";
  }
  void expect_refused(const std::string& bytes, const std::string& why) {
    const std::string what = complaint(bytes);
    EXPECT_NE(what.find(why), std::string::npos) << what;
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "ic";
};

TEST_F(GadgetFiles, EveryVariant) {
  for (int variant = 0; variant < 16; ++variant) {
    GadgetBytes made = four_particles();
    made.format = 1 + variant % 2;
    made.big_endian = (variant & 2) != 0;
    made.doubles = (variant & 4) != 0;
    made.long_ids = (variant & 8) != 0;
    write(made.make());
    ASSERT_TRUE(GadgetFile::is_one(path_));
    const GadgetFile file(path_);
    EXPECT_EQ(file.format(), made.format);
    EXPECT_EQ(file.width(Column::positions), made.doubles ? 8U : 4U);
    EXPECT_EQ(file.width(Column::ids), made.long_ids ? 8U : 4U);
    EXPECT_EQ(file.width(Column::masses), 0U);
    EXPECT_EQ(file.header().box, 100);
    EXPECT_EQ(file.header().h, 0.7);
    EXPECT_EQ(file.header().total[1], 4U);
    std::vector<double> x(6);
    file.read(Column::positions, 1, 1, std::span(x));
    EXPECT_EQ(x, std::vector<double>(made.particles[0].x.begin() + 3, made.particles[0].x.begin() + 9));
    std::vector<float> v(12);
    file.read(Column::velocities, 1, 0, std::span(v));
    for (int i = 0; i < 12; ++i) EXPECT_EQ(v[i], static_cast<float>(made.particles[0].v[i]));
    std::vector<std::uint64_t> id(4);
    file.read(Column::ids, 1, 0, std::span(id));
    EXPECT_EQ(id, made.particles[0].id);
  }
}

/// Sets of more than 2^32 particles: the high words of their numbers lie at another place of the header.
TEST_F(GadgetFiles, HighWordsOfLargeSets) {
  for (int variant = 0; variant < 4; ++variant) {
    GadgetBytes made = four_particles();
    made.format = 1 + variant % 2;
    made.big_endian = variant >= 2;
    made.files = 0x01020304;
    made.total = {0x1122334455667788, 0x0000000200000003, 5, 0xfedcba9876543210, 0, 0x0000000100000000};
    write(made.make());
    const GadgetHeader header = GadgetFile(path_).header();
    EXPECT_EQ(header.total, made.total) << variant;
    EXPECT_EQ(header.here, (std::array<std::uint64_t, 6>{0, 4, 0, 0, 0, 0}));
    EXPECT_EQ(header.files, 0x01020304U);
    EXPECT_EQ(header.mass[1], made.particles[0].table);
    EXPECT_EQ((std::array{header.time, header.redshift, header.box, header.omega_m, header.omega_lambda, header.h}),
              (std::array{made.a, made.z, made.box, made.omega_m, made.omega_lambda, made.h}));
  }
}

/// Types in one block; only those without a mass in the table are in the block of masses.
TEST_F(GadgetFiles, TypesFollowEachOther) {
  GadgetBytes made = four_particles();
  GadgetBytes::Particles two{2, {5, 6, 7}, {1, 1, 1}, {20}, {8.5}, 0}, three{3, {8, 9, 10}, {2, 2, 2}, {30}, {9.5}, 0};
  GadgetBytes::Particles five{5, {11, 12, 13}, {3, 3, 3}, {50}, {}, 4};
  made.particles.insert(made.particles.end(), {two, three, five});
  for (const int format : {1, 2}) {
    made.format = format;
    write(made.make());
    const GadgetFile file(path_);
    double mass = 0;
    file.read(Column::masses, 2, 0, std::span(&mass, 1));
    EXPECT_EQ(mass, 8.5);
    file.read(Column::masses, 3, 0, std::span(&mass, 1));
    EXPECT_EQ(mass, 9.5);
    std::uint64_t id = 0;
    file.read(Column::ids, 5, 0, std::span(&id, 1));
    EXPECT_EQ(id, 50U);
    EXPECT_EQ(file.header().with_own_masses(), 2U);
    std::vector<std::uint64_t> two_ids(2);
    EXPECT_THROW(file.read(Column::ids, 5, 0, std::span(two_ids)), Error);
  }
}

TEST_F(GadgetFiles, EveryTruncationIsFound) {
  for (const int format : {1, 2}) {
    GadgetBytes made = four_particles();
    made.format = format;
    const std::string good = made.make();
    for (std::size_t length = 0; length < good.size(); ++length) {
      const std::string what = complaint(good.substr(0, length));
      EXPECT_NE(what.find("truncated"), std::string::npos) << length << ": " << what;
      EXPECT_NE(what.find("(byte "), std::string::npos) << what;
    }
    EXPECT_EQ(complaint(good), "accepted");
  }
}

TEST_F(GadgetFiles, DamagedRecords) {
  GadgetBytes made = four_particles();
  const std::string good = made.make();
  const auto changed = [&](std::size_t at, char value) {
    std::string bad = good;
    bad[at] = value;
    return bad;
  };
  expect_refused(changed(0, 7), "begins with neither 256 nor 8");
  expect_refused(changed(260, 9), "the header: its record has the length 256 before and 265 after it");
  expect_refused(changed(264, 49),
                 "its record of positions has 49 bytes, but the header's 4 particles need 48 or 96 (byte 264)");
  expect_refused(changed(264 + 52, 47), "its record of positions has other lengths before and after it");
  expect_refused(changed(264 + 56, 47), "its record of velocities has 47 bytes");
  expect_refused(changed(4 + 4, 5), "the header's 5 particles need 60 or 120");
  made.particles[0].table = -1;
  expect_refused(made.make(), "mass -1");
  made.particles[0].table = std::nan("");
  expect_refused(made.make(), "mass nan");
  GadgetBytes named = four_particles();
  named.format = 2;
  std::string bad = named.make();
  bad[4] = 'B';
  expect_refused(bad, "should be named HEAD");
}

/// Counts of which nothing is allocated, because the file is too short for them.
TEST_F(GadgetFiles, HugeCounts) {
  std::string bad = four_particles().make();
  for (const char byte : {'\x7f', '\xff'}) {
    for (std::size_t k = 0; k < 4; ++k) bad[8 + k] = byte;
    EXPECT_NE(complaint(bad), "accepted");
  }
  // As many as give the same 32 bits of the record's length.
  bad = four_particles().make();
  const std::uint32_t many = 4 + (1U << 30);
  std::memcpy(bad.data() + 8, &many, sizeof many);
  expect_refused(bad, "truncated");
}

TEST_F(GadgetFiles, NamedRecordsMayBeMissingOrTwice) {
  GadgetBytes made = four_particles();
  made.format = 2;
  const std::string good = made.make();
  const std::size_t ids = good.find("ID  ");
  std::string bad = good;
  bad.replace(ids, 4, "IDX ");
  expect_refused(bad, "has no record of ids");
  bad = good;
  bad.replace(good.find("VEL "), 4, "POS ");
  expect_refused(bad, "has two records of positions");
}

}  // namespace
}  // namespace multiwalk
