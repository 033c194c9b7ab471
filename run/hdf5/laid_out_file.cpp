// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/hdf5/laid_out_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"

namespace multiwalk::hdf5 {

namespace {

constexpr std::size_t checksum_bytes = 4;

Handle layout_properties(const Object& dataset) {
  const hid_t properties = H5Dget_create_plist(dataset.id());
  require_success(properties < 0 ? -1 : 0, dataset.name());
  return {properties, H5Pclose};
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t words_before_overflow = 360;
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  std::uint32_t first = 0, second = 0;
  const auto fold = [](std::uint32_t& sum) { sum = (sum & 0xFFFFU) + (sum >> 16); };
  for (std::size_t words = bytes.size() / 2; words > 0;) {
    const std::size_t some = std::min(words, words_before_overflow);
    for (std::size_t k = 0; k < some; ++k, next += 2) {
      first += static_cast<std::uint32_t>(next[0]) << 8 | next[1];
      second += first;
    }
    fold(first);
    fold(second);
    words -= some;
  }
  if (bytes.size() % 2 != 0) {
    first += static_cast<std::uint32_t>(*next) << 8;
    second += first;
    fold(first);
    fold(second);
  }
  fold(first);
  fold(second);
  return second << 16 | first;
}

LaidOutChunks lay_out(const Object& dataset, const RowSource& source, std::uint64_t rows) {
  LaidOutChunks chunks;
  chunks.rows = rows;
  chunks.row_bytes = source.row_bytes;
  const Handle properties = layout_properties(dataset);
  hsize_t extent = 0;
  require_success(H5Pget_chunk(properties.get(), 1, &extent) == 1 ? 0 : -1, dataset.name());
  chunks.rows_per_chunk = extent;
  const std::vector<std::byte> zeros(chunks.chunk_bytes() + checksum_bytes);
  for (hsize_t row = 0; row < rows; row += extent) {
    require_success(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, 0, &row, zeros.size(), zeros.data()), dataset.name());
  }
  for (hsize_t row = 0; row < rows; row += extent) {
    haddr_t place = HADDR_UNDEF;
    hsize_t bytes = 0;
    unsigned filters_left_out = 0;
    require_success(H5Dget_chunk_info_by_coord(dataset.id(), &row, &filters_left_out, &place, &bytes), dataset.name());
    require(place != HADDR_UNDEF && bytes == zeros.size(), "a chunk has no place in its file");
    chunks.place.push_back(place);
  }
  return chunks;
}

void seal_chunk(const LaidOutChunks& chunks, std::span<const std::byte> chunk, std::vector<std::byte>& out) {
  out.assign(chunk.begin(), chunk.end());
  out.resize(chunks.chunk_bytes());
  const std::uint32_t sum = fletcher32(out);
  for (std::size_t k = 0; k < checksum_bytes; ++k) out.push_back(static_cast<std::byte>(sum >> 8 * k));
}

FileForm::FileForm(const std::string& path, std::vector<LaidOutChunks> columns)
    : columns_(std::move(columns)), bytes_(std::filesystem::file_size(path)) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const LaidOutChunks& c : columns_) {
    for (const std::uint64_t place : c.place) taken.emplace_back(place, place + c.chunk_bytes() + checksum_bytes);
  }
  taken.emplace_back(bytes_, bytes_);
  std::ranges::sort(taken);
  std::ifstream file(path, std::ios::binary);
  std::uint64_t at = 0;
  for (const auto& [begin, end] : taken) {
    require(begin >= at, "chunks overlap in " + path);
    if (begin > at) {
      Part part{at, std::vector<std::byte>(begin - at)};
      file.seekg(static_cast<std::streamoff>(at));
      file.read(reinterpret_cast<char*>(part.bytes.data()), static_cast<std::streamsize>(part.bytes.size()));
      if (!file) throw Error("cannot read " + path);
      parts_.push_back(std::move(part));
    }
    at = end;
  }
}

void FileForm::make(const std::string& path) const {
  FileDescriptor file = FileDescriptor::create(path);
  file.cut(bytes_);
  for (const Part& part : parts_) file.write_at(part.place, part.bytes.data(), part.bytes.size());
  file.close();
}

}  // namespace multiwalk::hdf5
