// SPDX-License-Identifier: GPL-3.0-or-later
// Shells as `multiwalk sky` reads them: what is there, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "host/base/error.hpp"
#include "run/hdf5/hdf5_file.hpp"
#include "run/sky/sky_shell.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

class ReadShell : public testing::Test {
 protected:
  /// Two pixels with 5 and 7 particles.
  StoredShell shell() const {
    hdf5::File file = hdf5::File::create(path_);
    {
      const hdf5::Object header = file.create_group("Header");
      for (const auto& [name, value] : header_) header.write(name, value);
      write(file, "Counts", count_, columns_);
      write(file, "Pixels", pixel_, 1);
    }
    file.close();
    return read_shell(path_);
  }
  static void write(const hdf5::File& file, const char* name, const std::vector<double>& values,
                    std::uint64_t columns) {
    const auto make = [&](std::uint64_t, std::uint64_t, double* out) { std::ranges::copy(values, out); };
    const auto source = hdf5::RowSource::of<double>(name, columns, make);
    const hdf5::Object dataset = file.create_dataset(source, values.size() / columns, hdf5::Storage::checked);
    dataset.write_rows(source, 0, values.size() / columns, 0);
    dataset.finish_rows();
  }
  void expect_refused(const std::string& words) const {
    try {
      static_cast<void>(shell());
      ADD_FAILURE() << "accepted: " << words;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  test::TemporaryDirectory directory_;
  std::string path_ = directory_ / "shell.hdf5";
  std::map<std::string, double> header_{
      {"Nside", 4},           {"Shell", 3},          {"NumPart", 12},      {"Near", 100},       {"Far", 200},
      {"RedshiftNear", 0.03}, {"RedshiftFar", 0.07}, {"MeanDensity", 1},   {"ParticleMass", 2}, {"SolidAngle", 6},
      {"Omega0", 0.3},        {"OmegaLambda", 0.7},  {"HubbleParam", 0.7}, {"w0", -1},          {"wa", 0}};
  std::vector<double> count_{5, 7}, pixel_{3, 191};
  std::uint64_t columns_ = 1;
};

TEST_F(ReadShell, HasWhatWasWritten) {
  const StoredShell read = shell();
  EXPECT_EQ(read.nside, 4U);
  EXPECT_EQ(read.shell.number, 3U);
  EXPECT_EQ(read.shell.particles, 12U);
  EXPECT_EQ(read.shell.far, 200);
  EXPECT_EQ(read.count, (std::vector<std::uint32_t>{5, 7}));
  EXPECT_EQ(read.pixel, (std::vector<std::uint64_t>{3, 191}));
}

TEST_F(ReadShell, TwoDimensionsAreRefused) {
  count_ = {1, 2, 3, 1, 2, 3};
  columns_ = 3;
  expect_refused("Counts should be a list of numbers");
}

TEST_F(ReadShell, WhatDoesNotFitIsRefused) {
  pixel_ = {3, 192};
  expect_refused("do not fit its pixels");
  pixel_ = {3};
  expect_refused("do not fit its pixels");
  pixel_ = {3, 191};
  count_ = {5, 8};
  expect_refused("counts 12 particles, its pixels 13");
}

TEST_F(ReadShell, ImpossibleHeadersAreRefused) {
  const auto good = header_;
  const auto expect = [&](const std::string& name, double value, const std::string& words) {
    header_ = good;
    header_[name] = value;
    expect_refused(words);
  };
  for (const double nside : {-1.0, 0.5, 1e300, std::nan("")}) expect("Nside", nside, "its header has Nside");
  for (const double nside : {0.0, 3.0}) expect("Nside", nside, "a shell that cannot be");
  expect("Shell", 1e18, "its header has Shell");
  expect("NumPart", -3, "its header has NumPart");
  for (const double far : {50.0, HUGE_VAL, std::nan("")}) expect("Far", far, "a shell that cannot be");
  expect("MeanDensity", 0, "a shell that cannot be");
  expect("SolidAngle", 13, "a shell that cannot be");
}

}  // namespace
}  // namespace multiwalk
