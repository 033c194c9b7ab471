// SPDX-License-Identifier: GPL-3.0-or-later
// Datasets whose values are not in the file: HDF5 would read zeros, or any file that is named.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <numeric>

#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/hdf5/hdf5_storage.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using hdf5::File;
using Owner = hdf5::Handle;

constexpr hsize_t rows = 8;

class Hdf5Storage : public testing::Test {
 protected:
  [[nodiscard]] std::string at(const std::string& name) const { return directory_ / name; }

  /// A file with a dataset "values" of these creation properties; written if `values` are given.
  void make(const std::string& name, hid_t properties, bool write, hid_t type = H5T_NATIVE_DOUBLE) const {
    const Owner file(H5Fcreate(at(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const Owner space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
    const Owner set(H5Dcreate2(file.get(), "values", type, space.get(), H5P_DEFAULT, properties, H5P_DEFAULT),
                    H5Dclose);
    ASSERT_GE(set.get(), 0);
    std::vector<double> values(rows);
    std::iota(values.begin(), values.end(), 1.0);
    if (!write) return;
    ASSERT_GE(H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  /// Of a virtual dataset.
  struct Part {
    std::string source;
    hsize_t at, count, from, extent;  ///< rows [at, at + count) are the source's from `from` on, of `extent` expected
  };
  void make_virtual_of(const std::string& name, const std::vector<Part>& parts) const {
    const Owner properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    for (const Part& part : parts) {
      const Owner whole(H5Screate_simple(1, &rows, nullptr), H5Sclose);
      const Owner source(H5Screate_simple(1, &part.extent, nullptr), H5Sclose);
      H5Sselect_hyperslab(whole.get(), H5S_SELECT_SET, &part.at, nullptr, &part.count, nullptr);
      if (part.count != part.extent) {
        H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, &part.from, nullptr, &part.count, nullptr);
      }
      ASSERT_GE(H5Pset_virtual(properties.get(), whole.get(), part.source.c_str(), "values", source.get()), 0);
    }
    make(name, properties.get(), false);
  }
  /// A virtual dataset of one source.
  void make_virtual(const std::string& name, const std::string& source, const std::string& link = "values",
                    hsize_t covered = rows) const {
    const Owner properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Owner whole(H5Screate_simple(1, &rows, nullptr), H5Sclose);
    const hsize_t start = 0;
    ASSERT_GE(H5Sselect_hyperslab(whole.get(), H5S_SELECT_SET, &start, nullptr, &covered, nullptr), 0);
    const Owner part(H5Screate_simple(1, &covered, nullptr), H5Sclose);
    ASSERT_GE(H5Pset_virtual(properties.get(), whole.get(), source.c_str(), link.c_str(), part.get()), 0);
    make(name, properties.get(), false);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    try {
      const std::vector<double> values = File::open(at(name)).read_dataset<double>("values");
      return values[0] == 1 && values[7] == 8 ? "" : "read something else";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  void expect_refused(const std::string& name, const std::string& why) const {
    const std::string told = read(name);
    EXPECT_NE(told.find(why), std::string::npos) << name << ": " << told;
    EXPECT_NE(told.find(name + "/values"), std::string::npos) << told;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Hdf5Storage, WrittenDatasetsAreRead) {
  make("contiguous.h5", H5P_DEFAULT, true);
  EXPECT_EQ(read("contiguous.h5"), "");
  const Owner chunked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t chunk = 3;
  H5Pset_chunk(chunked.get(), 1, &chunk);
  make("chunked.h5", chunked.get(), true);
  EXPECT_EQ(read("chunked.h5"), "");
}

TEST_F(Hdf5Storage, WhatWasNeverWrittenIsNotZero) {
  make("contiguous.h5", H5P_DEFAULT, false);
  expect_refused("contiguous.h5", "never written");
  const Owner chunked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t chunk = 3, start = 0, some = 6;
  H5Pset_chunk(chunked.get(), 1, &chunk);
  make("none.h5", chunked.get(), false);
  expect_refused("none.h5", "never written");
  make("part.h5", chunked.get(), false);
  {
    const Owner file(H5Fopen(at("part.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const Owner set(H5Dopen2(file.get(), "values", H5P_DEFAULT), H5Dclose);
    const Owner space(H5Dget_space(set.get()), H5Sclose), memory(H5Screate_simple(1, &some, nullptr), H5Sclose);
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &some, nullptr);
    const std::vector<double> values(some, 1);
    ASSERT_GE(H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, values.data()), 0);
  }
  expect_refused("part.h5", "never written");
}

TEST_F(Hdf5Storage, ExternalStorageIsNotRead) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  for (const char* file : {"/etc/passwd", "pipe", "missing"}) {
    const Owner external(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    ASSERT_GE(H5Pset_external(external.get(), file, 0, rows * sizeof(double)), 0);
    make("external.h5", external.get(), false);
    expect_refused("external.h5", "external storage");
  }
}

TEST_F(Hdf5Storage, VirtualDatasetsAreReadFromFilesBesideThem) {
  make("source.h5", H5P_DEFAULT, true);
  make_virtual("virtual.h5", "source.h5");
  EXPECT_EQ(read("virtual.h5"), "");
  make_virtual("link.h5", "source.h5", "other");
  expect_refused("link.h5", "no such dataset");
  make_virtual("half.h5", "source.h5", "values", rows / 2);
  expect_refused("half.h5", "expected shape");
  make_virtual("twice.h5", "virtual.h5");
  expect_refused("twice.h5", "virtual itself");
  std::filesystem::remove(at("source.h5"));
  expect_refused("virtual.h5", "is missing");
  ASSERT_EQ(::mkfifo(at("source.h5").c_str(), 0600), 0);
  expect_refused("virtual.h5", "is missing");
}

TEST_F(Hdf5Storage, PartsOfVirtualDatasetsMustCoverThem) {
  make("source.h5", H5P_DEFAULT, true);
  make_virtual_of("halves.h5", {{"source.h5", 0, 4, 0, rows}, {"source.h5", 4, 4, 4, rows}});
  EXPECT_EQ(read("halves.h5"), "");
  make_virtual_of("threes.h5", {{"source.h5", 5, 3, 5, rows}, {"source.h5", 0, 6, 0, rows}});
  EXPECT_EQ(read("threes.h5"), "");
  make_virtual_of("one_twice.h5", {{"source.h5", 0, 4, 0, rows}, {"source.h5", 0, 4, 0, rows}});
  expect_refused("one_twice.h5", "for a part of it");
  make_virtual_of("overlap.h5", {{"source.h5", 0, 5, 0, rows}, {"source.h5", 4, 3, 4, rows}});
  expect_refused("overlap.h5", "for a part of it");
}

TEST_F(Hdf5Storage, SourcesHaveTheRowsThatVirtualDatasetsShow) {
  make("source.h5", H5P_DEFAULT, true);
  constexpr hsize_t more = 12, twice = 16;
  make_virtual_of("beyond.h5", {{"source.h5", 0, rows, 4, more}});
  expect_refused("beyond.h5", "expected shape");
  make_virtual_of("outside.h5", {{"source.h5", 0, rows, rows, twice}});
  expect_refused("outside.h5", "expected shape");
  make_virtual_of("whole.h5", {{"source.h5", 0, 4, 0, 4}, {"source.h5", 4, 4, 4, rows}});
  expect_refused("whole.h5", "expected shape");
}

TEST_F(Hdf5Storage, VirtualDatasetsDoNotReachOutOfTheirDirectory) {
  std::filesystem::create_directory(at("below"));
  make("below/source.h5", H5P_DEFAULT, true);
  for (const std::string& source :
       {at("below/source.h5"), std::string("below/source.h5"), std::string("."), std::string("virtual.h5")}) {
    make_virtual("virtual.h5", source);
    expect_refused("virtual.h5", "not another file beside it");
  }
}

TEST_F(Hdf5Storage, LinksIntoOtherFilesAreNotFollowed) {
  make("source.h5", H5P_DEFAULT, true);
  {
    const Owner file(H5Fcreate(at("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Lcreate_external("source.h5", "values", file.get(), "values", H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  expect_refused("links.h5", "link into another file");
}

/// `values` is a soft link to a path through an external link; so is the group `below`.
TEST_F(Hdf5Storage, NorBehindSoftLinks) {
  make("source.h5", H5P_DEFAULT, true);
  const auto link_to = [&](const char* target) {
    const Owner file(H5Fcreate(at("links.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Lcreate_external(target, "/", file.get(), "elsewhere", H5P_DEFAULT, H5P_DEFAULT), 0);
    ASSERT_GE(H5Lcreate_soft("/elsewhere/values", file.get(), "values", H5P_DEFAULT, H5P_DEFAULT), 0);
    ASSERT_GE(H5Lcreate_soft("/elsewhere", file.get(), "below", H5P_DEFAULT, H5P_DEFAULT), 0);
  };
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  for (const char* target : {"source.h5", "pipe"}) {
    link_to(target);
    expect_refused("links.h5", "link into another file");
    const File file = File::open(at("links.h5"));
    EXPECT_THROW(static_cast<void>(file.group("below")), InputError) << target;
    EXPECT_THROW(static_cast<void>(file.has("below/values")), InputError) << target;
  }
  make_virtual("virtual.h5", "links.h5");
  const std::string told = read("virtual.h5");
  EXPECT_NE(told.find("links.h5/values is a link into another file"), std::string::npos) << told;
}

TEST_F(Hdf5Storage, SoftLinksWithinTheFileAreFollowed) {
  make("soft.h5", H5P_DEFAULT, true);
  {
    const Owner file(H5Fopen(at("soft.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Lmove(file.get(), "values", file.get(), "kept", H5P_DEFAULT, H5P_DEFAULT), 0);
    ASSERT_GE(H5Lcreate_soft("/kept", file.get(), "values", H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  EXPECT_EQ(read("soft.h5"), "");
}

TEST_F(Hdf5Storage, PipesAreNotOpened) {
  ASSERT_EQ(::mkfifo(at("pipe.h5").c_str(), 0600), 0);
  EXPECT_NE(read("pipe.h5").find("not an ordinary file"), std::string::npos) << read("pipe.h5");
}

}  // namespace
}  // namespace multiwalk
