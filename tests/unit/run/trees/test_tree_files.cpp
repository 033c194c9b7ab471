// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/trees/row_columns.hpp"
#include "run/trees/subhalo_file.hpp"
#include "run/trees/track_file.hpp"
#include "run/trees/tree_file.hpp"
#include "run/trees/tree_outputs.hpp"
#include "run/trees/tree_page.hpp"
#include "tests/support/bound_spheres.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

Subhalo subhalo(std::int64_t track, std::uint64_t group, std::int32_t rank, std::uint64_t number) {
  Subhalo s;
  s.track = track;
  s.group = group;
  s.rank = rank;
  s.number = number;
  s.mass = 0.5 * static_cast<double>(number);
  s.centre = {1.0 * static_cast<double>(track), 2, 3};
  s.v_max = 100;
  s.half_mass_radius = 0.25;
  s.most_bound = 1000 + static_cast<std::uint64_t>(track);
  return s;
}

SubhaloGroup group(std::uint64_t id, std::uint64_t number, std::int32_t subhalos) {
  SubhaloGroup g;
  g.id = id;
  g.number = number;
  g.mass = 0.5 * static_cast<double>(number);
  g.subhalos = subhalos;
  return g;
}

CatalogueSnapshot at(double time) {
  return {time, {50, 0}, {}};
}

/// Two outputs in any order of rows: tracks 0 and 1, of which 1 merges.
struct Files {
  test::TemporaryDirectory directory;
  std::vector<std::string> names{directory.path() + "/a.hdf5", directory.path() + "/b.hdf5"};

  Files() {
    write_subhalo_file(
        names[0],
        {{group(9, 40, 0), group(5, 100, 1), group(7, 300, 1)}, {subhalo(1, 5, 0, 90), subhalo(0, 7, 0, 280)}, {}},
        at(0.5));
    write_subhalo_file(names[1], {{group(7, 420, 1)}, {subhalo(0, 7, 0, 400)}, {{1, 0, 1001}}}, at(1));
  }
};

/// Single precision rounds a place just below the box onto its face, if nothing keeps it inside.
TEST(TreeFiles, PlacesStayInsideTheBox) {
  const test::TemporaryDirectory directory;
  Subhalo s = subhalo(0, 7, 0, 280);
  s.centre = s.centre_of_mass = {std::nextafter(50.0, 0.0), 49.9999999, 0};
  const std::string file = directory / "a.hdf5", trees = directory / "trees.hdf5";
  write_subhalo_file(file, {{group(7, 300, 1)}, {s}, {}}, at(0.5));
  write_tree_file(trees, std::vector{file});
  for (const float x : hdf5::File::open(file).group("Subhalo")->read_dataset<float>("SubhaloPos", 3))
    EXPECT_LT(x, 50000);
  for (const float x : hdf5::File::open(file).group("Subhalo")->read_dataset<float>("SubhaloCM", 3))
    EXPECT_LT(x, 50000);
  for (const float x : hdf5::File::open(trees).group("TreeHalos")->read_dataset<float>("SubhaloPos", 3))
    EXPECT_LT(x, 50);
}

/// A catalogue that another run left is not part of these trees.
TEST(TreeFiles, CataloguesOfOtherRunsAreRefused) {
  const test::TemporaryDirectory directory;
  const std::vector<std::string> files{directory / "a.hdf5", directory / "b.hdf5"};
  write_subhalo_file(files[0], {{group(7, 300, 1)}, {subhalo(0, 7, 0, 280)}, {}}, at(0.5));
  CatalogueSnapshot other = at(1);
  other.cosmology.omega_m = 0.3;
  write_subhalo_file(files[1], {{group(7, 300, 1)}, {subhalo(0, 7, 0, 280)}, {}}, other);
  EXPECT_THROW(write_tree_file(directory / "t.hdf5", files), InputError);
  write_subhalo_file(files[1], {{group(7, 300, 1)}, {subhalo(0, 7, 0, 280)}, {}}, at(0.5));
  EXPECT_THROW(write_tree_file(directory / "t.hdf5", files), InputError);
}

TEST(SubhaloFile, GroupsAreByMassAndSubhalosByGroup) {
  const Files files;
  const SubhaloFile read = read_subhalo_file(files.names[0]);
  EXPECT_EQ(read.time, 0.5);
  EXPECT_NEAR(read.box_size, 50, 1e-12);
  ASSERT_EQ(read.rows.subhalos.size(), 2U);
  EXPECT_EQ(read.rows.subhalos[0].track, 0);
  EXPECT_EQ(read.rows.subhalos[0].number, 280U);
  EXPECT_EQ(read.rows.subhalos[1].track, 1);
  EXPECT_EQ(read.rows.subhalos[1].most_bound, 1001U);
  EXPECT_NEAR(read.rows.subhalos[1].half_mass_radius, 0.25, 1e-7);
  EXPECT_NEAR(read.rows.subhalos[1].centre.x, 1, 1e-6);
  EXPECT_EQ(read.group, (std::vector<std::int64_t>{0, 1}));
  const hdf5::File file = hdf5::File::open(files.names[0]);
  EXPECT_EQ(read_column<std::int64_t>(*file.group("Group"), "GroupFirstSub"), (std::vector<std::int64_t>{0, 1, none}));
  EXPECT_EQ(read_subhalo_file(files.names[1]).rows.ends.at(0).most_bound, 1001U);
}

TEST(SubhaloFile, OtherFilesAreRefused) {
  const test::TemporaryDirectory directory;
  const std::string other = directory.path() + "/other.hdf5";
  hdf5::File::create(other).close();
  EXPECT_THROW(read_subhalo_file(other), InputError);
}

TEST(TreeFile, MergedTracksShareATree) {
  const Files files;
  const std::string trees = files.directory.path() + "/trees.hdf5", table = files.directory.path() + "/main.csv";
  write_tree_file(trees, files.names);
  const hdf5::File file = hdf5::File::open(trees);
  EXPECT_EQ(read_column<std::int64_t>(*file.group("TreeTable"), "Length"), (std::vector<std::int64_t>{3}));
  const hdf5::Object halos = *file.group("TreeHalos");
  EXPECT_EQ(read_column<std::int64_t>(halos, "SubhaloLen"), (std::vector<std::int64_t>{400, 280, 90}));
  EXPECT_EQ(read_column<std::int64_t>(halos, "TreeDescendant"), (std::vector<std::int64_t>{none, 0, 0}));
  EXPECT_EQ(read_column<std::int64_t>(halos, "TreeNextProgenitor"), (std::vector<std::int64_t>{none, 2, none}));
  EXPECT_EQ(read_column<std::int64_t>(halos, "TreeFirstDescendant"), (std::vector<std::int64_t>{none, 0, none}))
      << "not of a halo that merged into it";
  write_main_branches(table, trees);
  const std::string text = read_whole_file(table);
  EXPECT_NE(text.find("\n0,1,1,0,400,"), std::string::npos) << text;
  EXPECT_NE(text.find("\n0,0,0.5,1,280,"), std::string::npos) << text;
}

TEST(TreePage, HasTheBranchesOfTheFirstTree) {
  const Files files;
  const std::string trees = files.directory.path() + "/trees.hdf5";
  write_tree_file(trees, files.names);
  const nlohmann::json data = tree_page_data(trees);
  EXPECT_EQ(data.at("trees"), 1);
  EXPECT_EQ(data.at("subhalos"), 3);
  EXPECT_EQ(data.at("outputs"), 2);
  EXPECT_EQ(data.at("halos").at(0).at("nodes").size(), 2U);
  const nlohmann::json& branches = data.at("tree").at("branches");
  ASSERT_EQ(branches.size(), 2U);
  EXPECT_EQ(branches[0].at("into"), -1);
  EXPECT_EQ(branches[1].at("into"), branches[0].at("id"));
  EXPECT_NEAR(branches[1].at("nodes").at(0).at("mass"), 45e10, 1e6);
  EXPECT_EQ(branches[1].at("nodes").at(0).at("a"), 0.5);
  write_tree_page(files.directory.path() + "/trees.html", trees);
  EXPECT_NE(read_whole_file(files.directory.path() + "/trees.html").find("data-kind=\"trees\""), std::string::npos);
}

TEST(TreeFile, TheSameContentsAreTheSameBytes) {
  const Files files;
  const std::string first = files.directory.path() + "/1.hdf5", second = files.directory.path() + "/2.hdf5";
  write_tree_file(first, files.names);
  write_tree_file(second, files.names);
  EXPECT_EQ(read_whole_file(first), read_whole_file(second));
}

TEST(TrackFile, TracksComeBack) {
  const test::TemporaryDirectory directory;
  const std::string path = track_file(directory.path(), 7);
  TrackMemory memory;
  memory.tracks = {{{4, none, 2, 1, 0}, {11, 12, 13}}, {{6, 4, 1, 3, 2}, {99}}};
  memory.next_track = 8;
  memory.outputs = 5;
  const std::uint32_t checksum = write_track_file(path, memory, 0.25);
  const StoredTracks stored = read_track_file(path);
  const TrackMemory& read = stored.memory;
  EXPECT_EQ(stored.time, 0.25);
  EXPECT_EQ(stored.checksum, checksum);
  EXPECT_EQ(read.next_track, 8);
  EXPECT_EQ(read.outputs, 5);
  ASSERT_EQ(read.tracks.size(), 2U);
  EXPECT_EQ(read.tracks[0].member, (std::vector<std::uint64_t>{11, 12, 13}));
  EXPECT_EQ(read.tracks[1].head.parent, 4);
  EXPECT_EQ(read.tracks[1].head.missed, 2);
  remove_old_track_files(directory.path());
  EXPECT_THROW(read_track_file(path), InputError) << "there is no checkpoint of that step";
}

/// A dataset of the file of tracks gets other values.
void change_tracks(const std::string& path, const char* name, const std::vector<double>& values,
                   std::uint64_t columns) {
  const hdf5::File file = hdf5::File::open_to_fill(path);
  const auto tracks = file.group("Tracks");
  ASSERT_GE(H5Ldelete(tracks->id(), name, H5P_DEFAULT), 0);
  const auto make = [&](std::uint64_t, std::uint64_t, double* out) { std::ranges::copy(values, out); };
  const auto source = hdf5::RowSource::of<double>(name, columns, make);
  tracks->create_dataset(source, values.size() / columns, hdf5::Storage::checked)
      .write_rows(source, 0, values.size() / columns, 0);
}

TEST(TrackFile, OtherShapesAndValuesAreRefused) {
  const test::TemporaryDirectory directory;
  const std::string path = track_file(directory.path(), 7);
  TrackMemory memory;
  memory.tracks = {{{4, none, 2, 1, 0}, {11, 12, 13}}, {{6, 4, 1, 3, 2}, {99}}};
  memory.next_track = 8;
  memory.outputs = 5;
  const auto after = [&](const char* name, const std::vector<double>& values,
                         std::uint64_t columns = 1) -> std::string {
    const std::uint32_t checksum = write_track_file(path, memory, 0.25);
    change_tracks(path, name, values, columns);
    try {
      return read_track_file(path).checksum == checksum ? "the same" : "another checksum";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(after("ID", {11, 12, 13, 99}), "the same");
  EXPECT_EQ(after("ID", {11, 12, 13, 98}), "another checksum");
  EXPECT_EQ(after("Bound", {1, 1}), "another checksum");
  EXPECT_NE(after("ID", {11, 12, 13, 99, 1, 2, 3, 4}, 2).find("should be a list of numbers"), std::string::npos);
  EXPECT_NE(after("Members", {3, 1, 1, 1}, 2).find("should be a list of numbers"), std::string::npos);
  EXPECT_NE(after("ID", {11, 12, 13}).find("fewer ids"), std::string::npos);
  EXPECT_NE(after("Members", {1e19, 1}).find("fewer ids"), std::string::npos);
  for (const double id : {-2.0, 8.0}) EXPECT_NE(after("Parent", {id, 4}).find("cannot be"), std::string::npos);
  EXPECT_NE(after("Born", {6, 1}).find("cannot be"), std::string::npos);
}

TEST(TrackFile, OfAnotherRunIsRefused) {
  const test::TemporaryDirectory directory;
  TreeOutputs saved(Parameters{}, directory.path(), 0.1, 1, {}), restored(Parameters{}, directory.path(), 0.1, 1, {});
  const OutputState state = saved.save(3);
  restored.restore(3, state);
  TrackMemory other;
  other.next_track = 1;
  write_track_file(track_file(directory.path(), 3), other, 0.5);
  EXPECT_THROW(restored.restore(3, state), SharedError);
  EXPECT_THROW(restored.restore(3, {nlohmann::json::object()}), SharedError) << "a checkpoint of another version";
}

TEST(TreeTimes, AreEvenInTheLogarithm) {
  TreeParameters trees;
  trees.outputs = 5;
  trees.first_redshift = 15;
  const std::vector<double> times = tree_times(trees, 0.02, 1);
  ASSERT_EQ(times.size(), 5U);
  EXPECT_NEAR(times.front(), 1.0 / 16, 1e-15);
  EXPECT_NEAR(times[1], 1.0 / 8, 1e-15);
  EXPECT_EQ(times.back(), 1);
  EXPECT_NEAR(tree_times(trees, 0.1, 1).front(), 0.1, 1e-15) << "not before the start";
  trees.outputs = 0;
  trees.redshifts = {0, 3, 99};
  EXPECT_EQ(tree_times(trees, 0.02, 1), (std::vector<double>{0.25, 1})) << "those before the start are left out";
}

TEST(TreeOutputs, AreDueOnceAtTheFirstTimeAfterTheirs) {
  const test::TemporaryDirectory directory;
  Parameters parameters;
  parameters.trees.redshifts = {3, 1};
  TreeOutputs outputs(parameters, directory.path(), 0.1, 1, {});
  EXPECT_FALSE(outputs.due(0.24));
  EXPECT_TRUE(outputs.due(0.25));
  EXPECT_TRUE(outputs.due(0.6));
  ParticleSystem system;
  system.particles.resize(8);
  system.time = 0.26;
  system.spacing = 1;
  system.box_size = 10;
  for (std::size_t i = 0; i < 8; ++i) {
    system.particles.position[i] = {static_cast<double>(i), 0, 0};
    system.particles.id[i] = i;
  }
  const Communicator alone;
  outputs.write({.comm = alone, .parameters = parameters, .particles = system, .softening = 0.1});
  EXPECT_EQ(outputs.outputs(), 1);
  EXPECT_FALSE(outputs.due(0.27));
  EXPECT_TRUE(outputs.due(0.5));
  const OutputState state = outputs.save(3);
  TreeOutputs restored(parameters, directory.path(), 0.1, 1, {});
  restored.restore(3, state);
  EXPECT_FALSE(restored.due(0.27));
  EXPECT_TRUE(restored.due(0.5));
  EXPECT_THROW(restored.restore(4, state), InputError);
  outputs.finish();
  EXPECT_EQ(read_whole_file(directory.path() + "/main_branches.csv").find('\n') + 1,
            read_whole_file(directory.path() + "/main_branches.csv").size())
      << "no halos: only a head";
}

/// A sphere of particles in the middle of a box.
ParticleSystem sphere_in_box() {
  ParticleSystem system;
  system.boundary = Boundary::periodic;
  system.box_size = 4;
  system.spacing = 0.5;
  const std::vector<Member> members = test::SphereOfMembers{.n = 500, .mass = 500, .centre = {2, 2, 2}}.make();
  system.particles.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    system.particles.position[i] = static_cast<Vec3d>(members[i].place);
    system.particles.velocity[i] = members[i].velocity;
    system.particles.mass[i] = members[i].mass;
    system.particles.id[i] = members[i].id;
  }
  return system;
}

TEST(TreeOutputs, WrittenAsideAreTheSameWhateverTheParticlesDoMeanwhile) {
  const test::TemporaryDirectory directory, later;
  Parameters parameters;
  parameters.trees.redshifts = {1, 0};
  ParticleSystem system = sphere_in_box();
  TreeOutputs at_once(parameters, directory.path(), 0.1, 1, {}), aside(parameters, later.path(), 0.1, 1, {});
  const Communicator alone;
  WorkAside worker;
  for (const double time : {0.5, 1.0}) {
    system.time = time;
    OutputMoment moment{.comm = alone, .parameters = parameters, .particles = system, .softening = 0.01};
    const std::string now = at_once.write(moment).at(0);
    ParticleSystem moving = sphere_in_box();
    moving.time = time;
    moment.particles = moving;
    moment.aside = &worker;
    const std::string later_file = aside.write(moment).at(0);
    EXPECT_FALSE(aside.due(time));
    moving.particles.resize(0);
    moving.time = 0;
    worker.wait();
    EXPECT_EQ(read_whole_file(later_file), read_whole_file(now));
  }
  EXPECT_GT(worker.seconds(), 0);
  EXPECT_EQ(aside.tracks(), 1);
}

}  // namespace
}  // namespace multiwalk
