// SPDX-License-Identifier: GPL-3.0-or-later
// HDF5 files whose values are written without the library: it reads them and detects damage.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/hdf5/laid_out_file.hpp"
#include "tests/support/temporary_directory.hpp"

namespace multiwalk {
namespace {

using hdf5::File;
using hdf5::LaidOutChunks;

constexpr std::uint64_t laid_out_rows = 150000;  // the last of three chunks is partly empty

hdf5::RowSource values_column() {
  return {"Values", hdf5::native_type<double>(), 1, sizeof(double), {}};
}

LaidOutChunks make_file(const std::string& path) {
  File file = File::create(path);
  file.create_group("Header").write("Number", 1.5);
  LaidOutChunks chunks;
  {
    const hdf5::Object set = file.create_dataset(values_column(), laid_out_rows, hdf5::Storage::checked);
    chunks = hdf5::lay_out(set, values_column(), laid_out_rows);
  }
  file.close();
  return chunks;
}

std::vector<double> some_values(double first) {
  std::vector<double> values(laid_out_rows);
  std::iota(values.begin(), values.end(), first);
  return values;
}

void fill_chunks(const std::string& path, const LaidOutChunks& chunks, const std::vector<double>& values) {
  FileDescriptor file = FileDescriptor::open(path);
  std::vector<std::byte> bytes;
  for (std::size_t c = 0; c < chunks.place.size(); ++c) {
    const std::size_t first = c * chunks.rows_per_chunk;
    const std::size_t count = std::min<std::size_t>(chunks.rows_per_chunk, values.size() - first);
    hdf5::seal_chunk(chunks, std::as_bytes(std::span(values).subspan(first, count)), bytes);
    file.write_at(chunks.place[c], bytes.data(), bytes.size());
  }
  file.close();
}

std::vector<double> values_in(const std::string& path) {
  return File::open(path).read_dataset<double>("Values");
}

TEST(LaidOutFile, HasTheBytesThatTheLibraryWouldRead) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.hdf5";
  const LaidOutChunks chunks = make_file(path);
  EXPECT_EQ(chunks.place.size(), 3U);
  EXPECT_EQ(values_in(path), std::vector<double>(laid_out_rows)) << "not yet written";
  fill_chunks(path, chunks, some_values(0.25));
  EXPECT_EQ(values_in(path), some_values(0.25));
}

TEST(LaidOutFile, IsTheFormOfOthers) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.hdf5", other = directory / "b.hdf5";
  const hdf5::FileForm form(path, {make_file(path)});
  fill_chunks(path, form.columns().front(), some_values(0.25));
  form.make(other);
  {
    File file = File::open_to_fill(other);
    file.group("Header")->change("Number", 2.5);
    file.close();
  }
  fill_chunks(other, form.columns().front(), some_values(-3));
  EXPECT_EQ(values_in(other), some_values(-3));
  EXPECT_EQ(File::open(other).group("Header")->number("Number"), 2.5);
  EXPECT_EQ(values_in(path), some_values(0.25));
}

TEST(LaidOutFile, IsReadWithItsChecksums) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "a.hdf5";
  const LaidOutChunks chunks = make_file(path);
  fill_chunks(path, chunks, some_values(0));
  std::string bytes = test::read_bytes(path);
  bytes[chunks.place[1] + 1000] ^= 1;
  test::write_bytes(path, bytes);
  EXPECT_THROW(values_in(path), InputError);
}

}  // namespace
}  // namespace multiwalk
