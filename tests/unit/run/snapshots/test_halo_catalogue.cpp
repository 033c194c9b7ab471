// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue file holds what was found, in GADGET-4's units, with offsets that point at the members.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "run/files/atomic_file.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/snapshots/halo_catalogue.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using test::TemporaryDirectory;

Halo made_up_halo(std::uint64_t id, std::uint64_t number, Vec3d centre) {
  Halo halo;
  halo.id = id;
  halo.number = number;
  halo.mass = 1.5 * static_cast<double>(number);
  halo.centre = centre;
  halo.centre_of_mass = centre + Vec3d{0.25, 0, 0};
  halo.velocity = {100, -200, 300};
  halo.velocity_dispersion = 70;
  halo.extent = 0.5;
  halo.crit200 = {40, 0.125};
  halo.virial = {50, 0.25};
  halo.peak = {30, 0.0625};
  halo.v_max = 210;
  return halo;
}

template <class T>
std::vector<T> column(const hdf5::File& file, const std::string& link) {
  return file.read_dataset<T>(link, file.dataset_shape(link).columns);
}

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

class HaloFile : public ::testing::Test {
 protected:
  /// Two halos of 4 and 3 members in a vacuum cube of 20 Mpc/h at a = 0.5.
  hdf5::File write(bool by_group) {
    const std::vector<Halo> halos = {made_up_halo(7, 4, {1, -2, 3}), made_up_halo(2, 3, {-9, 0, 9})};
    const std::vector<std::uint64_t> ids = {7, 8, 20, 21, 2, 3, 5};
    write_halo_file(path_, halos, ids, {0.5, {20, 10}, CosmologyParameters(), by_group});
    return hdf5::File::open(path_);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_ / "fof_subhalo_tab_000.hdf5";
};

TEST_F(HaloFile, HoldsWhatWasFound) {
  const hdf5::File file = write(true);
  const auto header = file.group("Header");
  ASSERT_TRUE(header);
  for (const char* name : {"Ngroups_Total", "Ngroups_ThisFile", "Nsubhalos_Total", "Nsubgroups_ThisFile"})
    EXPECT_EQ(header->number(name), 2) << name;
  EXPECT_EQ(header->number("Nids_Total"), 7);
  EXPECT_EQ(header->number("BoxSize"), 20000);
  EXPECT_EQ(header->number("Redshift"), 1);
  EXPECT_EQ(file.group("Run")->numbers("origin"), (Doubles{10000, 10000, 10000}));
  EXPECT_EQ(column<double>(file, "Group/GroupPos"), (Doubles{11000, 8000, 13000, 1000, 10000, 19000}));
  EXPECT_EQ(column<double>(file, "Group/GroupCM"), (Doubles{11250, 8000, 13000, 1250, 10000, 19000}));
  EXPECT_EQ(column<double>(file, "Group/GroupMass"), (Doubles{6, 4.5}));
  EXPECT_EQ(column<double>(file, "Group/GroupVel"), (Doubles{50, -100, 150, 50, -100, 150}));
  EXPECT_EQ(column<double>(file, "Subhalo/SubhaloVel"), (Doubles{100, -200, 300, 100, -200, 300}));
  EXPECT_EQ(column<double>(file, "Subhalo/SubhaloVmax"), (Doubles{210, 210}));
  EXPECT_EQ(column<double>(file, "Subhalo/SubhaloVmaxRad"), (Doubles{62.5, 62.5}));
  EXPECT_EQ(column<double>(file, "Group/Group_M_Crit200"), (Doubles{40, 40}));
  EXPECT_EQ(column<double>(file, "Group/Group_R_TopHat200"), (Doubles{250, 250}));
  EXPECT_EQ(column<std::int64_t>(file, "Group/GroupId"), (Integers{7, 2}));
}

TEST_F(HaloFile, OffsetsPointAtTheMembers) {
  const hdf5::File file = write(true);
  EXPECT_EQ(column<std::int64_t>(file, "Group/GroupLen"), (Integers{4, 3}));
  EXPECT_EQ(column<std::int64_t>(file, "Group/GroupLenType"), (Integers{0, 4, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0}));
  EXPECT_EQ(column<std::int64_t>(file, "Group/GroupOffsetType"), (Integers{0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0}));
  EXPECT_EQ(column<std::int64_t>(file, "Group/GroupFirstSub"), (Integers{0, 1}));
  EXPECT_EQ(column<std::int64_t>(file, "Subhalo/SubhaloGroupNr"), (Integers{0, 1}));
  EXPECT_EQ(column<std::int64_t>(file, "Subhalo/SubhaloOffsetType"), (Integers{0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0}));
  EXPECT_EQ(column<std::int64_t>(file, "IDs/ID"), (Integers{7, 8, 20, 21, 2, 3, 5}));
}

TEST_F(HaloFile, HasNoOffsetsIntoASnapshotInAnotherOrder) {
  const hdf5::File file = write(false);
  EXPECT_FALSE(file.has("Group/GroupOffsetType"));
  EXPECT_FALSE(file.has("Subhalo/SubhaloOffsetType"));
  EXPECT_TRUE(file.has("IDs/ID"));
}

TEST_F(HaloFile, MayBeEmpty) {
  write_halo_file(path_, {}, {}, {1, {20, 0}, CosmologyParameters(), true});
  const hdf5::File file = hdf5::File::open(path_);
  EXPECT_EQ(file.group("Header")->number("Ngroups_Total"), 0);
  EXPECT_TRUE(file.has("Group"));
  EXPECT_FALSE(file.has("Group/GroupLen"));
}

TEST(HaloTable, HasAColumnForEveryName) {
  const std::vector<Halo> halos = {made_up_halo(7, 4, {1, -2, 3})};
  const TemporaryDirectory directory;
  write_halo_table(directory / "halos.csv", halos, Boundary::periodic);
  const std::string table = read_whole_file(directory / "halos.csv"), names = table.substr(0, table.find('\n')),
                    row = table.substr(names.size() + 1);
  EXPECT_EQ(std::ranges::count(names, ','), std::ranges::count(row, ','));
  EXPECT_EQ(row.substr(0, 24), "0,7,4,60000000000,1,-2,3");
  EXPECT_NE(names.find(",x[Mpc/h],y[Mpc/h],z[Mpc/h],x_cm[Mpc/h],"), std::string::npos) << names;
  write_halo_table(directory / "sphere.csv", halos, Boundary::vacuum);
  EXPECT_NE(read_whole_file(directory / "sphere.csv").find(",x_from_centre[Mpc/h],"), std::string::npos);
}

}  // namespace
}  // namespace multiwalk
