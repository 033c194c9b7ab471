// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/snapshots/checkpoint_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "host/base/error.hpp"

namespace multiwalk {

using namespace checkpoint_format;

namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;

std::uint32_t crc_of(const void* data, std::size_t bytes, std::uint32_t start = 0) {
  return static_cast<std::uint32_t>(crc32_z(start, static_cast<const Bytef*>(data), bytes));
}

/// The same on all threads, piece by piece.
std::uint32_t crc_of_large(const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const Bytef*>(data);
  const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const auto size_of = [&](std::size_t piece) { return std::min(bytes - piece * piece_bytes, piece_bytes); };
  std::vector<std::uint32_t> crc(pieces);
#pragma omp parallel for schedule(dynamic) if (pieces > 1)
  for (std::size_t piece = 0; piece < pieces; ++piece) crc[piece] = crc_of(first + piece * piece_bytes, size_of(piece));
  std::uint32_t whole = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece)
    whole = static_cast<std::uint32_t>(crc32_combine(whole, crc[piece], static_cast<z_off_t>(size_of(piece))));
  return whole;
}

/// Covers the header with its own CRC field zero, then the table.
std::uint32_t table_crc(Header header, const std::vector<BlockEntry>& table) {
  header.table_crc = 0;
  return crc_of(table.data(), table.size() * sizeof(BlockEntry), crc_of(&header, sizeof header));
}

std::string name_of(const BlockEntry& entry) {
  return {entry.name.data(), strnlen(entry.name.data(), entry.name.size())};
}

}  // namespace

void CheckpointWriter::add(std::string_view name, const void* data, std::size_t bytes, std::size_t element_bytes) {
  BlockEntry entry{};
  require(name.size() <= entry.name.size(), "a name of a block in a checkpoint is too long");
  name.copy(entry.name.data(), entry.name.size());
  entry.bytes = bytes;
  entry.element_bytes = static_cast<std::uint32_t>(element_bytes);
  entry.crc = crc_of_large(data, bytes);
  table_.push_back(entry);
  data_.push_back(data);
}

std::uint32_t CheckpointWriter::data_crc() const {
  return crc_of(table_.data(), table_.size() * sizeof(BlockEntry));
}

void CheckpointWriter::write(const PartialFile& file) const {
  Header header{magic, endianness_mark, version, static_cast<std::uint32_t>(table_.size()), 0, 0};
  header.file_bytes = sizeof header + table_.size() * sizeof(BlockEntry);
  for (const BlockEntry& entry : table_) header.file_bytes += entry.bytes;
  header.table_crc = table_crc(header, table_);
  FileDescriptor descriptor = FileDescriptor::create(file.partial_path());
  descriptor.write(&header, sizeof header);
  descriptor.write(table_.data(), table_.size() * sizeof(BlockEntry));
  for (std::size_t i = 0; i < table_.size(); ++i) descriptor.write(data_[i], table_[i].bytes);
  descriptor.close();
  file.sync();
}

CheckpointReader::CheckpointReader(std::string path) : path_(std::move(path)), file_(path_) {
  const std::uint64_t bytes = file_.size();
  Header header{};
  if (bytes < sizeof header) damaged("is too short");
  read_raw(&header, sizeof header);
  check(header, bytes);
  table_.resize(header.blocks);
  read_raw(table_.data(), table_.size() * sizeof(BlockEntry));
  if (table_crc(header, table_) != header.table_crc) damaged("has a damaged header or block table");
  index_blocks(bytes);
}

std::vector<std::string> CheckpointReader::names() const {
  std::vector<std::string> all;
  for (const auto& [name, block] : blocks_) all.push_back(name);
  return all;
}

std::uint32_t CheckpointReader::data_crc(std::string_view except) const {
  std::uint32_t crc = 0;
  for (const BlockEntry& entry : table_)
    if (name_of(entry) != except) crc = crc_of(&entry, sizeof entry, crc);
  return crc;
}

void CheckpointReader::damaged(const std::string& what) const {
  throw InputError("checkpoint " + path_ + " " + what);
}

const CheckpointReader::Block& CheckpointReader::find(const std::string& name, std::size_t element_bytes) const {
  const auto found = blocks_.find(name);
  if (found == blocks_.end()) damaged("lacks the block " + name);
  const BlockEntry& entry = found->second.entry;
  if (entry.element_bytes != element_bytes || entry.bytes % element_bytes != 0)
    damaged("has a block " + name + " of another type");
  return found->second;
}

void CheckpointReader::read_raw(void* data, std::size_t bytes) {
  file_.read(at_, data, bytes);
  at_ += bytes;
}

void CheckpointReader::read_range(const std::string& name, const Block& block, std::uint64_t from, std::uint64_t bytes,
                                  char* out) {
  std::vector<char> buffer(std::min(block.entry.bytes, piece_bytes));
  at_ = block.offset;
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < block.entry.bytes; at += piece_bytes) {
    const std::uint64_t piece = std::min(block.entry.bytes - at, piece_bytes);
    read_raw(buffer.data(), piece);
    crc = crc_of(buffer.data(), piece, crc);
    const std::uint64_t first = std::max(from, at), end = std::min(from + bytes, at + piece);
    if (first < end) std::memcpy(out + (first - from), buffer.data() + (first - at), end - first);
  }
  if (crc != block.entry.crc) damaged("has a damaged block " + name + " (CRC-32)");
}

void CheckpointReader::check(const Header& header, std::uint64_t bytes) const {
  if (header.magic_bytes != magic) damaged("is not a Multiwalk checkpoint");
  if (header.endianness != endianness_mark) damaged("was written on a machine of the other byte order, or is damaged");
  if (header.format_version != version)
    damaged(fmt::format("has format version {}, but this program reads {}: continue with the program that wrote it",
                        header.format_version, version));
  if (header.file_bytes != bytes) damaged(fmt::format("is {} bytes long instead of {}", bytes, header.file_bytes));
  if (header.blocks > (bytes - sizeof header) / sizeof(BlockEntry)) damaged("has a damaged block count");
}

void CheckpointReader::index_blocks(std::uint64_t bytes) {
  std::uint64_t offset = sizeof(Header) + table_.size() * sizeof(BlockEntry);
  for (const BlockEntry& entry : table_) {
    if (entry.bytes > bytes - offset) damaged("has blocks that do not fit in it");
    blocks_[name_of(entry)] = {entry, offset};
    offset += entry.bytes;
  }
  if (offset != bytes) damaged("has bytes that belong to no block");
}

}  // namespace multiwalk
