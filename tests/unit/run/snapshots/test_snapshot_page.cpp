// SPDX-License-Identifier: GPL-3.0-or-later
// run/snapshots/SNAPSHOT_INPUT.md and the reader agree: a file of what the page asks for is read, and one that lacks
// any of it is refused by that name.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/temporary_directory.hpp"
#include "tests/unit/run/snapshots/snapshot_cases.hpp"

namespace multiwalk {
namespace {

struct Row {
  std::string group, name;
};

/// The text between backticks.
std::vector<std::string> in_backticks(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream parts(text);
  std::string between;
  for (bool inside = false; std::getline(parts, between, '`'); inside = !inside) {
    if (inside) words.push_back(between);
  }
  return words;
}

/// The table of comoving files; if two groups may hold an entry, the first one.
std::vector<Row> required_contents() {
  std::ifstream page(MULTIWALK_SOURCE_DIR "/run/snapshots/SNAPSHOT_INPUT.md");
  std::vector<Row> rows;
  std::string group;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line.starts_with("## Required contents of a comoving file");
    if (!inside || !line.starts_with("| ")) continue;
    std::istringstream cells(line);
    std::string before, place, names;
    std::getline(cells, before, '|');
    std::getline(cells, place, '|');
    std::getline(cells, names, '|');
    if (const auto groups = in_backticks(place); !groups.empty()) group = groups[0].substr(1);
    for (const std::string& name : in_backticks(names)) rows.push_back({group, name});
  }
  return rows;
}

std::vector<std::string> attributes_of(const hdf5::Object& object) {
  std::vector<std::string> names;
  const auto keep = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  hsize_t at = 0;
  H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, &at, keep, &names);
  return names;
}

/// A box with exactly the page's contents, except `missing`.
std::string bare_file(const std::string& stem, const std::string& missing) {
  ParticleSystem system = test::random_system(20, missing != "MassTable", Boundary::periodic);
  std::ranges::fill(system.particles.potential, 0.0F);
  const std::string path = write_snapshot(stem, system, {}, {}).front();
  test::edit(path, [&](const hdf5::Object& file) {
    for (const char* group : {"Run", "Cosmology", "Code", "Units"}) {
      ASSERT_GE(H5Ldelete(file.id(), group, H5P_DEFAULT), 0);
    }
    for (const std::string group : {"Header", "Parameters"}) {
      std::set<std::string> kept;
      for (const Row& row : required_contents()) {
        if (row.group == group && row.name != missing) kept.insert(row.name);
      }
      const auto object = file.group(group);
      for (const std::string& name : attributes_of(*object)) {
        if (!kept.contains(name)) {
          ASSERT_GE(H5Adelete(object->id(), name.c_str()), 0);
        }
      }
    }
    const auto particles = file.group("PartType1");
    if (!missing.empty() && particles->has(missing)) {
      ASSERT_GE(H5Ldelete(particles->id(), missing.c_str(), H5P_DEFAULT), 0);
    }
    if (missing == "Masses") {
      test::replace_attribute(file, "Header", "MassTable", std::vector<double>(6, 0.0));
    }
  });
  return path;
}

TEST(SnapshotPage, AFileOfWhatItAsksForIsRead) {
  const test::TemporaryDirectory directory;
  EXPECT_GE(required_contents().size(), 17U);
  const SnapshotInfo info = read_snapshot(bare_file(directory / "s", ""));
  EXPECT_EQ(info.system.particles.size(), 20U);
  EXPECT_EQ(info.system.box_size, 120);
}

TEST(SnapshotPage, NothingOfItMayBeMissing) {
  const test::TemporaryDirectory directory;
  for (const Row& row : required_contents()) test::expect_refused(bare_file(directory / "s", row.name), row.name);
}

}  // namespace
}  // namespace multiwalk
