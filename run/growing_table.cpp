// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/growing_table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "host/base/phase_timer.hpp"

namespace multiwalk {

namespace {

constexpr double longest_wait = 1;           // s
constexpr std::size_t most_waiting = 65536;  // bytes

/// The beginning of a table: its heading and whole rows.
struct Beginning {
  std::uint64_t rows = 0, bytes = 0;
};

/// At most `rows` rows of the table at `path`; nothing of a file that begins otherwise.
Beginning beginning_of(const std::string& path, const std::string& heading, std::uint64_t rows) {
  FileDescriptor file = FileDescriptor::open(path);
  std::string head(heading.size(), '\0');
  if (file.read(head.data(), head.size()) < head.size() || head != heading) return {};
  Beginning beginning{0, heading.size()};
  std::vector<char> piece(std::size_t{1} << 20);
  std::uint64_t at = heading.size();
  while (beginning.rows < rows) {
    const std::size_t count = file.read(piece.data(), piece.size());
    if (count == 0) break;
    const auto end = piece.begin() + static_cast<std::ptrdiff_t>(count);
    for (auto line = std::find(piece.begin(), end, '\n'); line != end && beginning.rows < rows;
         line = std::find(line + 1, end, '\n')) {
      ++beginning.rows;
      beginning.bytes = at + static_cast<std::uint64_t>(line - piece.begin()) + 1;
    }
    at += count;
  }
  return beginning;
}

}  // namespace

GrowingTable::GrowingTable(std::string path, std::string heading, std::uint64_t rows)
    : path_(std::move(path)), file_(FileDescriptor::create_or_open(path_)), flushed_(wall_time()) {
  heading += '\n';
  const Beginning kept = rows > 0 ? beginning_of(path_, heading, rows) : Beginning{};
  file_.cut(kept.bytes);
  rows_ = kept.rows;
  missing_ = rows - kept.rows;
  if (kept.bytes == 0) file_.write(heading.data(), heading.size());
}

void GrowingTable::add(const std::string& row) {
  waiting_ += row;
  waiting_ += '\n';
  ++rows_;
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
