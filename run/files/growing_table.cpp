// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/growing_table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/phase_timer.hpp"
#include "run/files/checksum.hpp"
#include "run/files/plain_file.hpp"

namespace multiwalk {

namespace {

constexpr double longest_wait = 1;           // s
constexpr std::size_t most_waiting = 65536;  // bytes

struct KeptRows {
  TableRows table;
  std::uint64_t bytes = 0;
};

/// The heading and at most `rows` rows of the table at `path`; empty if the file has another heading.
KeptRows beginning_of(const std::string& path, const std::string& heading, std::uint64_t rows) {
  const PlainFile file(path);
  std::string head(heading.size(), '\0');
  if (file.size() < head.size()) return {};
  file.read(0, head.data(), head.size());
  if (head != heading) return {};
  KeptRows kept_rows{{}, heading.size()};
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint64_t at = heading.size();
  while (kept_rows.table.rows < rows && at < file.size()) {
    const std::size_t count = std::min<std::uint64_t>(piece.size(), file.size() - at);
    file.read(at, piece.data(), count);
    const auto end = piece.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto line = std::find(piece.begin(), end, '\n'); line != end && kept_rows.table.rows < rows;
         line = std::find(line + 1, end, '\n')) {
      ++kept_rows.table.rows;
      kept_rows.bytes = at + static_cast<std::uint64_t>(line - piece.begin()) + 1;
    }
    at += count;
  }
  kept_rows.table.checksum = checksum_of(file, kept_rows.bytes);
  return kept_rows;
}

}  // namespace

GrowingTable::GrowingTable(std::string path, std::string heading, const TableRows& before)
    : path_(std::move(path)), file_(FileDescriptor::create_or_open(path_)), flushed_(wall_time()) {
  heading += '\n';
  const KeptRows kept = before.rows > 0 ? beginning_of(path_, heading, before.rows) : KeptRows{};
  if (kept.table.rows == before.rows && before.rows > 0 && kept.table.checksum != before.checksum) {
    throw InputError(path_ +
                     " has other rows than when the checkpoint was written: it was changed, or is of another run; put "
                     "the right one back, or remove it, and the table begins with the rows to come");
  }
  file_.cut(kept.bytes);
  stored_ = kept.table;
  missing_ = before.rows - kept.table.rows;
  if (kept.bytes > 0) return;
  file_.write(heading.data(), heading.size());
  stored_.checksum = checksum_of(std::as_bytes(std::span(heading)));
}

void GrowingTable::add(const std::string& row) {
  const std::size_t before = waiting_.size();
  waiting_ += row;
  waiting_ += '\n';
  ++stored_.rows;
  stored_.checksum = checksum_of(std::as_bytes(std::span(waiting_).subspan(before)), stored_.checksum);
  if (waiting_.size() >= most_waiting || wall_time() - flushed_ >= longest_wait) flush();
}

void GrowingTable::flush() {
  file_.write(waiting_.data(), waiting_.size());
  waiting_.clear();
  flushed_ = wall_time();
}

void GrowingTable::sync() {
  flush();
  file_.sync();
}

}  // namespace multiwalk
