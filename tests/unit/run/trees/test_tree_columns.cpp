// SPDX-License-Identifier: GPL-3.0-or-later
// Every column of the files of subhalos and of merger trees, with its unit, at a = 0.4 and 0.7.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "run/files/atomic_file.hpp"
#include "run/trees/row_columns.hpp"
#include "run/trees/subhalo_file.hpp"
#include "run/trees/tree_file.hpp"
#include "run/trees/tree_page.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

/// A subhalo all of whose numbers differ.
Subhalo numbered_subhalo(std::int64_t track, std::uint64_t group, std::int32_t rank) {
  const double t = static_cast<double>(track);
  Subhalo s;
  s.track = track;
  s.group = group;
  s.rank = rank;
  s.number = 50 + static_cast<std::uint64_t>(track);
  s.most_bound = 1000 + static_cast<std::uint64_t>(track);
  s.parent = rank > 0 ? track - 1 : none;
  s.parent_rank = rank > 0 ? rank - 1 : 0;
  s.mass = 70 + t;
  s.centre = {1 + t, 2 + t, 3 + t};
  s.centre_of_mass = {4 + t, 5 + t, 6 + t};
  s.velocity = {700 + t, -800 - t, 900 + t};
  s.velocity_dispersion = 110 + t;
  s.v_max = 210 + t;
  s.r_max = 0.02 + 0.001 * t;
  s.half_mass_radius = 0.03 + 0.001 * t;
  s.spin = {0.4 + t, -0.5 - t, 0.6 + t};
  return s;
}

SubhaloGroup numbered_group(std::uint64_t id, std::uint64_t number, std::int32_t subhalos) {
  const double t = static_cast<double>(id);
  SubhaloGroup g;
  g.id = id;
  g.number = number;
  g.mass = 0.5 * static_cast<double>(number);
  g.subhalos = subhalos;
  g.centre = {1 + t, 2 + t, 3 + t};
  g.centre_of_mass = {4 + t, 5 + t, 6 + t};
  g.velocity = {10 + t, -20 - t, 30 + t};
  g.spheres = HaloSpheres{{21 + t, 0.11}, {22 + t, 0.12}, {23 + t, 0.13}, {24 + t, 0.14}};
  return g;
}

void expect_column(const hdf5::File& file, const std::string& name, const std::vector<double>& expected) {
  const std::size_t slash = name.find('/');
  const auto ends = [&](const char* end) { return name.ends_with(end); };
  const std::uint64_t columns = ends("Pos") || ends("CM") || ends("Vel") || ends("Spin") ? 3 : 1;
  const auto found = file.group(name.substr(0, slash))->read_dataset<double>(name.substr(slash + 1), columns);
  ASSERT_EQ(found.size(), expected.size()) << name;
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], 3e-7 * std::fabs(expected[i])) << name << " " << i;
}

/// Two groups, of which the first has a satellite, at a = 0.4 in a system whose places are shifted by 25 Mpc/h.
struct NumberedFile {
  test::TemporaryDirectory directory;
  std::string name = directory.path() + "/a.hdf5";

  explicit NumberedFile(double a) {
    const SubhaloShare share{
        {numbered_group(3, 60, 1), numbered_group(2, 200, 2), numbered_group(5, 30, 1)},
        {numbered_subhalo(7, 3, 0), numbered_subhalo(2, 2, 1), numbered_subhalo(9, 5, 0), numbered_subhalo(1, 2, 0)},
        {{4, 2, 44}, {3, none, 33}}};
    write_subhalo_file(name, share, {a, {50, 25}, {}});
  }
};

TEST(SubhaloColumns, EveryColumnHasItsUnitAtAnyTime) {
  const NumberedFile numbered_file(0.4);
  const hdf5::File file = hdf5::File::open(numbered_file.name);
  const auto expect = [&](const std::string& name, const std::vector<double>& values) {
    expect_column(file, name, values);
  };
  expect("Group/GroupPos", {28000, 29000, 30000, 29000, 30000, 31000, 31000, 32000, 33000});
  expect("Group/GroupCM", {31000, 32000, 33000, 32000, 33000, 34000, 34000, 35000, 36000});
  expect("Group/GroupVel", {4.8, -8.8, 12.8, 5.2, -9.2, 13.2, 6, -10, 14});  // a times the peculiar velocity
  for (const auto& [column, at_zero, radius] : {std::tuple{"Crit200", 21.0, 110.0},
                                                {"Crit500", 22.0, 120.0},
                                                {"Mean200", 23.0, 130.0},
                                                {"TopHat200", 24.0, 140.0}}) {
    const hdf5::Object groups = *file.group("Group");
    const auto mass = groups.read_dataset<double>(std::string("Group_M_") + column);
    const auto extent = groups.read_dataset<double>(std::string("Group_R_") + column);
    constexpr double id[] = {2, 3, 5};
    ASSERT_EQ(mass.size(), 3U);
    for (std::size_t g = 0; g < 3; ++g) {
      EXPECT_EQ(mass[g], at_zero + id[g]) << column;
      EXPECT_NEAR(extent[g], radius, 1e-4) << column;
    }
  }
  expect("Subhalo/SubhaloMass", {71, 72, 77, 79});
  expect("Subhalo/SubhaloPos", {27000, 28000, 29000, 28000, 29000, 30000, 33000, 34000, 35000, 35000, 36000, 37000});
  expect("Subhalo/SubhaloCM", {30000, 31000, 32000, 31000, 32000, 33000, 36000, 37000, 38000, 38000, 39000, 40000});
  expect("Subhalo/SubhaloVel", {701, -801, 901, 702, -802, 902, 707, -807, 907, 709, -809, 909});
  expect("Subhalo/SubhaloSpin", {1400, -1500, 1600, 2400, -2500, 2600, 7400, -7500, 7600, 9400, -9500, 9600});
  expect("Subhalo/SubhaloVelDisp", {111, 112, 117, 119});
  expect("Subhalo/SubhaloVmax", {211, 212, 217, 219});
  expect("Subhalo/SubhaloVmaxRad", {21, 22, 27, 29});
  expect("Subhalo/SubhaloHalfmassRad", {31, 32, 37, 39});
  expect("Subhalo/SubhaloLen", {51, 52, 57, 59});
  expect("Subhalo/SubhaloIDMostbound", {1001, 1002, 1007, 1009});
  expect("Subhalo/SubhaloGroupNr", {0, 0, 1, 2});
  expect("Subhalo/SubhaloRankInGr", {0, 1, 0, 0});
  expect("Subhalo/SubhaloParentRank", {0, 0, 0, 0});
  expect("Subhalo/SubhaloTrackId", {1, 2, 7, 9});
  expect("Subhalo/SubhaloParentTrackId", {-1, 1, -1, -1});
  EXPECT_EQ(read_column<std::int64_t>(*file.group("Group"), "GroupNsubs"), (std::vector<std::int64_t>{2, 1, 1}));
  EXPECT_EQ(read_column<std::int64_t>(*file.group("Group"), "GroupFirstSub"), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(read_column<std::int64_t>(*file.group("Ends"), "TrackId"), (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(read_column<std::int64_t>(*file.group("Ends"), "Descendant"), (std::vector<std::int64_t>{none, 2}));
  EXPECT_EQ(read_column<std::int64_t>(*file.group("Ends"), "IDMostbound"), (std::vector<std::int64_t>{33, 44}));
  const hdf5::Object header = *file.group("Header");
  EXPECT_NEAR(*header.number("Time"), 0.4, 1e-15);
  EXPECT_NEAR(*header.number("Redshift"), 1.5, 1e-12);
  EXPECT_NEAR(*header.number("BoxSize"), 50000, 1e-9);
}

TEST(TreeColumns, EveryColumnHasItsUnitAtAnyTime) {
  const NumberedFile before(0.4), after(0.7);
  const std::string trees = before.directory.path() + "/trees.hdf5";
  write_tree_file(trees, std::vector{before.name, after.name});
  const hdf5::File file = hdf5::File::open(trees);
  const auto expect = [&](const std::string& name, const std::vector<double>& values) {
    expect_column(file, name, values);
  };
  // Roots by output and mass: track 9; 7; 2, whose host 1 follows in the same tree. Each with its progenitor.
  expect("TreeTable/StartOffset", {0, 2, 4});
  expect("TreeTable/Length", {2, 2, 4});
  expect("TreeTable/TreeID", {0, 1, 2});
  expect("TreeTimes/Time", {0.4, 0.7});
  expect("TreeTimes/Redshift", {1.5, 3.0 / 7});
  const auto halos = [&](const char* name, const std::vector<double>& values) {
    expect(std::string("TreeHalos/") + name, values);
  };
  halos("SubhaloTrackId", {9, 9, 7, 7, 2, 2, 1, 1});
  halos("SnapNum", {1, 0, 1, 0, 1, 0, 1, 0});
  halos("SubhaloNr", {3, 3, 2, 2, 1, 1, 0, 0});
  halos("GroupNr", {2, 2, 1, 1, 0, 0, 0, 0});
  halos("TreeID", {0, 0, 1, 1, 2, 2, 2, 2});
  halos("TreeIndex", {0, 1, 0, 1, 0, 1, 2, 3});
  halos("TreeDescendant", {-1, 0, -1, 0, -1, 0, -1, 2});
  halos("TreeFirstDescendant", {-1, 0, -1, 0, -1, 0, -1, 2});
  halos("TreeNextDescendant", {-1, -1, -1, -1, -1, -1, -1, -1});
  for (const char* name : {"TreeFirstProgenitor", "TreeMainProgenitor", "TreeProgenitor"})
    halos(name, {1, -1, 1, -1, 1, -1, 3, -1});
  halos("TreeNextProgenitor", {-1, -1, -1, -1, -1, -1, -1, -1});
  halos("TreeFirstHaloInFOFgroup", {0, 1, 0, 1, 2, 3, 2, 3});
  halos("TreeNextHaloInFOFgroup", {-1, -1, -1, -1, -1, -1, 0, 1});
  halos("Group_M_Crit200", {26, 26, 24, 24, 0, 0, 23, 23});
  halos("SubhaloLen", {59, 59, 57, 57, 52, 52, 51, 51});
  halos("SubhaloRankInGr", {0, 0, 0, 0, 1, 1, 0, 0});
  halos("SubhaloMass", {79, 79, 77, 77, 72, 72, 71, 71});
  halos("SubhaloPos", {35, 36, 37, 35, 36, 37, 33, 34, 35, 33, 34, 35, 28, 29, 30, 28, 29, 30, 27, 28, 29, 27, 28, 29});
  halos("SubhaloVel", {709, -809, 909, 709, -809, 909, 707, -807, 907, 707, -807, 907,
                       702, -802, 902, 702, -802, 902, 701, -801, 901, 701, -801, 901});
  halos("SubhaloSpin", {9.4, -9.5, 9.6, 9.4, -9.5, 9.6, 7.4, -7.5, 7.6, 7.4, -7.5, 7.6,
                        2.4, -2.5, 2.6, 2.4, -2.5, 2.6, 1.4, -1.5, 1.6, 1.4, -1.5, 1.6});
  halos("SubhaloVelDisp", {119, 119, 117, 117, 112, 112, 111, 111});
  halos("SubhaloVmax", {219, 219, 217, 217, 212, 212, 211, 211});
  halos("SubhaloVmaxRad", {0.029, 0.029, 0.027, 0.027, 0.022, 0.022, 0.021, 0.021});
  halos("SubhaloHalfmassRad", {0.039, 0.039, 0.037, 0.037, 0.032, 0.032, 0.031, 0.031});
  halos("SubhaloIDMostbound", {1009, 1009, 1007, 1007, 1002, 1002, 1001, 1001});
  halos("SubhaloParentTrackId", {-1, -1, -1, -1, 1, 1, -1, -1});
  const hdf5::Object parameters = *file.group("Parameters");
  EXPECT_NEAR(*parameters.number("BoxSize"), 50, 1e-12);
  EXPECT_NEAR(*parameters.number("UnitLength_in_cm"), 3.0856775814913673e24, 1e10);
  EXPECT_NEAR(*parameters.number("UnitMass_in_g"), 1.98841e43, 1e29);
  EXPECT_EQ(*parameters.number("UnitVelocity_in_cm_per_s"), 1e5);

  const std::string table = before.directory.path() + "/main.csv";
  write_main_branches(table, trees);
  EXPECT_EQ(read_whole_file(table),
            "halo,output,a,redshift,particles,mass[Msun/h],v_max[km/s],x[Mpc/h],y[Mpc/h],z[Mpc/h]\n"
            "0,1,0.7,0.4285714285714286,59,7.9e+11,219,35,36,37\n0,0,0.4,1.5,59,7.9e+11,219,35,36,37\n"
            "1,1,0.7,0.4285714285714286,57,7.7e+11,217,33,34,35\n1,0,0.4,1.5,57,7.7e+11,217,33,34,35\n"
            "2,1,0.7,0.4285714285714286,52,7.2e+11,212,28,29,30\n2,0,0.4,1.5,52,7.2e+11,212,28,29,30\n"
            "3,1,0.7,0.4285714285714286,51,7.1e+11,211,27,28,29\n3,0,0.4,1.5,51,7.1e+11,211,27,28,29\n");
  const nlohmann::json page = tree_page_data(trees);
  EXPECT_EQ(page.at("trees"), 3);
  EXPECT_EQ(page.at("halos").size(), 4U);
  EXPECT_EQ(page.at("tree").at("branches").size(), 1U) << "only what descends to the first root";
}

}  // namespace
}  // namespace multiwalk
