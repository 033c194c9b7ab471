// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/evolve/bodies_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "decomposition/ranks/agree.hpp"
#include "host/base/error.hpp"
#include "host/text/byte_order_mark.hpp"
#include "host/text/plain_number.hpp"
#include "run/files/command_files.hpp"

namespace multiwalk {

namespace {

constexpr std::array<std::string_view, 7> column_names{"mass", "x", "y", "z", "vx", "vy", "vz"};
using BodyRow = std::array<double, column_names.size()>;

/// The words of a line; a word between two commas or semicolons may be empty.
std::vector<std::string> words_of(const std::string& line) {
  constexpr std::string_view blanks = " \t\r", marks = ",;";
  const std::string text = line.substr(0, line.find('#'));
  std::vector<std::string> words;
  if (text.find_first_not_of(blanks) == text.npos) return words;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(marks, from), text.size());
    const std::string field = text.substr(from, end - from);
    std::size_t at = field.find_first_not_of(blanks);
    if (at == field.npos) words.emplace_back();
    while (at != field.npos) {
      const std::size_t word_end = std::min(field.find_first_of(blanks, at), field.size());
      words.push_back(field.substr(at, word_end - at));
      at = field.find_first_not_of(blanks, word_end);
    }
    from = end + 1;
  }
  return words;
}

double number_of(const std::string& word, std::string_view column, const std::string& where) {
  const std::optional<double> number = number_in(word);
  if (!number || !std::isfinite(*number))
    throw InputError(fmt::format("{}: {} = {} is not a finite number", where, column, word));
  return *number;
}

BodyRow row_of(const std::vector<std::string>& words, const std::string& where) {
  if (std::ranges::find(words, "") != words.end())
    throw InputError(where + ": a field is empty, between two commas or semicolons or beside the first or last");
  if (words.size() != column_names.size()) {
    throw InputError(fmt::format("{}: {} columns where a body has {}: {}", where, words.size(), column_names.size(),
                                 fmt::join(column_names, " ")));
  }
  BodyRow row;
  for (std::size_t c = 0; c < row.size(); ++c) row[c] = number_of(words[c], column_names[c], where);
  if (row[0] < 0) throw InputError(fmt::format("{}: the mass {} is negative", where, words[0]));
  return row;
}

/// Calls act(number of the body, row) for every body of the file.
template <class Act>
void for_each_body(const std::string& path, Act act) {
  note_input(path);
  std::ifstream file(path);
  file.peek();
  if (!file.is_open() || file.bad())
    throw InputError(path + ": cannot read this table of bodies: " + std::strerror(errno) +
                     " (relative paths start in the folder from which the program is started)");
  std::uint64_t bodies = 0, number = 0;
  bool named = false;
  for (std::string line; std::getline(file, line);) {
    if (number == 0) remove_byte_order_mark(line);
    ++number;
    if (line.find('\0') != line.npos)
      throw InputError(fmt::format("{}:{}: holds a byte 0: this is not a text in ASCII or UTF-8", path, number));
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (bodies == 0 && !named && std::ranges::equal(words, column_names)) {
      named = true;
      continue;
    }
    act(bodies, row_of(words, fmt::format("{}:{}", path, number)));
    ++bodies;
  }
  if (bodies == 0) throw InputError(path + ": contains no bodies");
}

}  // namespace

Bodies read_bodies_file(const std::string& path, const Communicator& comm) {
  const auto rank = static_cast<std::uint64_t>(comm.rank()), ranks = static_cast<std::uint64_t>(comm.size());
  return collectively(comm, [&] {
    Bodies bodies;
    for_each_body(path, [&](std::uint64_t number, const BodyRow& row) {
      if (number % ranks != rank) return;
      bodies.mass.push_back(row[0]);
      bodies.position.push_back({row[1], row[2], row[3]});
      bodies.velocity.push_back({row[4], row[5], row[6]});
      bodies.id.push_back(number);
    });
    bodies.resize(bodies.position.size());
    return bodies;
  });
}

void check_bodies_file(const std::string& path, const Communicator& comm) {
  collectively(comm, [&] {
    if (comm.root()) for_each_body(path, [](std::uint64_t, const BodyRow&) {});
  });
}

}  // namespace multiwalk
