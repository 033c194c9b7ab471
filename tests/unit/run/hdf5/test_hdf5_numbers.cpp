// SPDX-License-Identifier: GPL-3.0-or-later
// Whole numbers keep their value at any stored width, sign and byte order, or are refused.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

class Hdf5Numbers : public testing::Test {
 protected:
  /// Values of the native type stored as `stored`, in the dataset x; read again as unsigned 64-bit numbers.
  template <class T>
  std::vector<std::uint64_t> through(hid_t stored, const std::vector<T>& values,
                                     hid_t native = hdf5::native_type<T>()) {
    const std::string path = directory_ / "x.hdf5";
    hdf5::File file = hdf5::File::create(path);
    const hsize_t count = values.size();
    const hdf5::Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    {
      const hdf5::Handle x(H5Dcreate2(file.id(), "x", stored, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           H5Dclose);
      EXPECT_GE(H5Dwrite(x.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    file.close();
    return hdf5::File::open(path).read_dataset<std::uint64_t>("x");
  }

  test::TemporaryDirectory directory_;
};

/// A type of whole numbers with `bytes` bytes.
hdf5::Handle whole(hid_t like, std::size_t bytes) {
  hdf5::Handle type(H5Tcopy(like), H5Tclose);
  H5Tset_size(type.get(), bytes);
  H5Tset_precision(type.get(), 8 * bytes);
  return type;
}

TEST_F(Hdf5Numbers, EveryWidthKeepsItsValues) {
  for (const hid_t like : {H5T_STD_U64LE, H5T_STD_U64BE, H5T_STD_I64LE, H5T_STD_I64BE}) {
    for (std::size_t bytes = 1; bytes <= 8; ++bytes) {
      const bool is_signed = like == H5T_STD_I64LE || like == H5T_STD_I64BE;
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * bytes + (is_signed ? 1 : 0));
      const std::vector<std::uint64_t> values{0, 1, most - 1, most};
      EXPECT_EQ(through(whole(like, bytes).get(), values), values) << bytes << is_signed;
    }
  }
}

TEST_F(Hdf5Numbers, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(through(H5T_STD_I64LE, std::vector<std::int64_t>{1, -1}), InputError);
  EXPECT_THROW(through(H5T_STD_I32BE, std::vector<std::int32_t>{-5, 1}), InputError);
  EXPECT_THROW(through(H5T_IEEE_F64LE, std::vector<double>{1.5}), InputError);
  EXPECT_THROW(through(H5T_IEEE_F64LE, std::vector<double>{-1}), InputError);
  EXPECT_THROW(through(H5T_IEEE_F64LE, std::vector<double>{1e30}), InputError);
  // 2^64 in 16 bytes.
  const hdf5::Handle wide = whole(H5T_STD_U64LE, 16);
  const std::vector<std::array<std::uint64_t, 2>> large{{0, 1}}, small{{7, 0}};
  EXPECT_THROW(through(wide.get(), large, wide.get()), InputError);
  EXPECT_EQ(through(wide.get(), small, wide.get()), std::vector<std::uint64_t>{7});
}

TEST_F(Hdf5Numbers, AttributesOfOneNumberHaveOne) {
  const hdf5::File file = hdf5::File::create(directory_ / "a.hdf5");
  const std::array<double, 2> two{9, 4};
  const std::array<std::int32_t, 2> negative{5, -1};
  file.write("two", std::span<const double>(two));
  file.write("one", std::span<const double>(two).first(1));
  file.write("negative", std::span<const std::int32_t>(negative));
  file.write("counts", std::span<const std::int32_t>(negative).first(1));
  EXPECT_EQ(file.number("one"), 9);
  EXPECT_THROW(static_cast<void>(file.number("two")), InputError);
  EXPECT_EQ(file.numbers("two"), (std::vector<double>{9, 4}));
  EXPECT_EQ(file.counts("counts"), (std::vector<std::uint64_t>{5}));
  EXPECT_THROW(static_cast<void>(file.counts("negative")), InputError);
}

}  // namespace
}  // namespace multiwalk
