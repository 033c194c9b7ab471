// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of bodies: what is read, and what is refused with file and line.
#include <gtest/gtest.h>

#include <fstream>

#include "decomposition/ranks/agree.hpp"
#include "run/evolve/bodies_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

class BodiesFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& text) const {
    const std::string path = directory_ / "bodies.csv";
    std::ofstream(path) << text;
    return path;
  }
  void expect_refused(const std::string& text, const std::string& where, const std::string& what) const {
    try {
      (void)read_bodies_file(file(text));
      ADD_FAILURE() << "accepted: " << text;
    } catch (const SharedError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("bodies.csv" + where), std::string::npos) << message;
      EXPECT_NE(message.find(what), std::string::npos) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(BodiesFile, ReadsTextAndCsv) {
  const Bodies text = read_bodies_file(file("# a pair\n1 0 0 0  0 0 0\n\n 0.5\t1 -2e0 3 4 5 6 # light\n"));
  const Bodies csv = read_bodies_file(file("mass,x,y,z,vx,vy,vz\r\n1,0,0,0,0,0,0\r\n0.5, 1, -2, 3, 4, 5, 6\r\n"));
  const Bodies marked = read_bodies_file(file("\xef\xbb\xbfmass;x;y;z;vx;vy;vz\n1;0;0;0;0;0;0\n+0.5;1;-2;3;4;5;6\n"));
  for (const Bodies* bodies : {&text, &csv, &marked}) {
    ASSERT_EQ(bodies->size(), 2U);
    EXPECT_EQ(bodies->mass, (std::vector<double>{1, 0.5}));
    EXPECT_EQ(bodies->position[1], (Vec3d{1, -2, 3}));
    EXPECT_EQ(bodies->velocity[1], (Vec3d{4, 5, 6}));
    EXPECT_EQ(bodies->id, (std::vector<std::uint64_t>{0, 1}));
    EXPECT_EQ(bodies->jerk.size(), 2U);
  }
}

TEST_F(BodiesFile, RefusesWhatIsNoTable) {
  expect_refused("1 0 0 0 0 0 0\n1 0 0 0 0 0\n", ":2", "6 columns");
  expect_refused("1 0 0 0 0 0 0 0\n", ":1", "8 columns");
  expect_refused("\n1 0 zero 0 0 0 0\n", ":2", "y = zero");
  expect_refused("1 0 inf 0 0 0 0\n", ":1", "finite");
  expect_refused("-1 0 0 0 0 0 0\n", ":1", "negative");
  expect_refused("x,y,z,mass,vx,vy,vz\n1,0,0,0,0,0,0\n", ":1", "mass = x");
  expect_refused(std::string("1 0 0 0 0 0 1\0999\n", 18), ":1", "byte 0");
  expect_refused("1,,0,0,0,0,0,0\n", ":1", "a field is empty");
  expect_refused("1,0,0,0,0,0,0\n1,0,0,0,,0,0\n", ":2", "a field is empty");
  expect_refused("1;0;0;0;0;0;0;\n", ":1", "a field is empty");
  expect_refused("1 0 0 0 0 0 0x10\n", ":1", "vz = 0x10");
  expect_refused("# nothing\n", "", "no bodies");
  EXPECT_THROW((void)read_bodies_file("/no/such/file"), SharedError);
}

}  // namespace
}  // namespace multiwalk
