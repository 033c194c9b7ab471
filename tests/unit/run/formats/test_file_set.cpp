// SPDX-License-Identifier: GPL-3.0-or-later
// A set of files is named by any of them, or by its base name.
#include <gtest/gtest.h>

#include <filesystem>

#include "run/files/atomic_file.hpp"
#include "run/formats/file_set.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

TEST(FileSet, IsNamedWithoutItsNumber) {
  const test::TemporaryDirectory directory;
  for (const char* name : {"a.0.hdf5", "a.1.hdf5", "b.0", "b.1", "c.hdf5", "d", "d.0.hdf5"}) {
    write_file_atomically(directory / name, "");
  }
  EXPECT_EQ(first_of_set(directory / "a"), directory / "a.0.hdf5");
  EXPECT_EQ(first_of_set(directory / "a.hdf5"), directory / "a.0.hdf5");
  EXPECT_EQ(first_of_set(directory / "a.1.hdf5"), directory / "a.1.hdf5");
  EXPECT_EQ(first_of_set(directory / "b"), directory / "b.0");
  EXPECT_EQ(first_of_set(directory / "c"), directory / "c.hdf5");
  EXPECT_EQ(first_of_set(directory / "d"), directory / "d");
  EXPECT_EQ(first_of_set(directory / "none"), directory / "none");
  EXPECT_EQ(files_of_set(first_of_set(directory / "a"), 2).back(), directory / "a.1.hdf5");
}

}  // namespace
}  // namespace multiwalk
