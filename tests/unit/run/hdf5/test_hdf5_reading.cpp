// SPDX-License-Identifier: GPL-3.0-or-later
// Datasets of another shape than the reader's memory, filters that are missing, and files that others use.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>

#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using hdf5::File;
using hdf5::RowSource;

class Hdf5Reading : public testing::Test {
 protected:
  /// Six numbers 1, 2, ... in rows of `columns`.
  void write(std::uint64_t columns) const {
    File file = File::create(path_);
    const auto make = [columns](std::uint64_t first, std::uint64_t count, double* out) {
      std::iota(out, out + count * columns, 1.0 + static_cast<double>(first * columns));
    };
    const RowSource source = RowSource::of<double>("values", columns, make);
    const hdf5::Object dataset = file.create_dataset(source, 6 / columns, hdf5::Storage::checked);
    dataset.write_rows(source, 0, 6 / columns, 0);
    dataset.finish_rows();
    file.close();
  }
  [[nodiscard]] std::string complaint() const {
    try {
      static_cast<void>(File::open(path_).read_dataset<double>("values"));
      return "read";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  void expect_complaint(const std::string& words) const {
    const std::string told = complaint();
    EXPECT_NE(told.find(words), std::string::npos) << told;
    EXPECT_EQ(told.find("damaged"), std::string::npos) << told;
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_ / "file.hdf5";
};

TEST_F(Hdf5Reading, RowsAreThoseOfTheFile) {
  write(3);
  std::vector<float> row(3);
  {
    const File file = File::open(path_);
    EXPECT_EQ(file.read_dataset<double>("values", 3), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    file.read_rows("values", 1, 3, std::span(row));
  }
  EXPECT_EQ(row, (std::vector<float>{4, 5, 6}));
  write(1);
  EXPECT_EQ(File::open(path_).read_dataset<std::int32_t>("values"), (std::vector<std::int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(Hdf5Reading, AnotherShapeIsRefused) {
  write(3);
  const File file = File::open(path_);
  expect_complaint("should be a list of numbers, but its rows have 3");
  EXPECT_THROW(static_cast<void>(file.read_dataset<double>("values", 2)), InputError);
  EXPECT_THROW(static_cast<void>(file.read_dataset<double>("values", 6)), InputError);
  std::vector<double> room(9);
  EXPECT_THROW(file.read_rows("values", 0, 1, std::span(room).first(2)), InputError);
  EXPECT_THROW(file.read_rows("values", 0, 3, std::span(room)), InputError) << "more rows than there are";
  EXPECT_THROW(file.read_rows("values", 2, 3, std::span(room).first(3)), InputError);
  EXPECT_THROW(file.read_rows("values", 0, 3, std::span(room).first(4)), Error) << "room for a part of a row";
  EXPECT_EQ(room, std::vector<double>(9, 0));
}

std::size_t copy_bytes(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

TEST_F(Hdf5Reading, MissingFiltersAreNamed) {
  constexpr H5Z_filter_t number = 301;
  const H5Z_class2_t filter{H5Z_CLASS_T_VERS, number, 1, 1, "strange", nullptr, nullptr, copy_bytes};
  const auto write_with_filter = [&] {
    if (H5Zregister(&filter) < 0) std::_Exit(1);
    const hdf5::Handle file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const hdf5::Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t rows = 4;
    H5Pset_chunk(properties.get(), 1, &rows);
    H5Pset_filter(properties.get(), number, 0, 0, nullptr);
    const hdf5::Handle space(H5Screate_simple(1, &rows, nullptr), H5Sclose);
    const hdf5::Handle dataset(
        H5Dcreate2(file.get(), "values", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose);
    const std::vector<double> values(rows, 2);
    if (H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) std::_Exit(2);
  };
  // In a process of its own: HDF5 1.10 may crash when a filter is unregistered.
  EXPECT_EXIT((write_with_filter(), std::_Exit(complaint() == "read" ? 0 : 3)), testing::ExitedWithCode(0), "");
  expect_complaint("is compressed by the filter strange (number 301)");
}

TEST_F(Hdf5Reading, FilesOpenElsewhereAreNamed) {
  write(1);
  const int other = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  expect_complaint("another program has it open for writing");
  ::close(other);
  EXPECT_EQ(complaint(), "read");
}

}  // namespace
}  // namespace multiwalk
