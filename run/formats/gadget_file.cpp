// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/formats/gadget_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <concepts>
#include <cstring>
#include <span>
#include <vector>

#include "host/base/error.hpp"
#include "run/formats/gadget_layout.hpp"

namespace multiwalk {

namespace {

using gadget::header_bytes;
using gadget::label_bytes;

template <class T>
T reversed(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

template <class T, std::size_t count>
void reverse_each(T (&values)[count]) {
  for (T& value : values) value = reversed(value);
}

template <class T>
void reverse(T& value) {
  value = reversed(value);
}

void reverse(gadget::RawHeader& raw) {
  reverse_each(raw.here);
  reverse_each(raw.mass);
  reverse_each(raw.total);
  reverse_each(raw.total_high);
  reverse(raw.time);
  reverse(raw.redshift);
  reverse(raw.files);
  reverse(raw.box);
  reverse(raw.omega_m);
  reverse(raw.omega_lambda);
  reverse(raw.h);
}

/// GADGET-4's header in its own formats 1 and 2, which states no cosmology.
constexpr std::uint32_t gadget4_header_bytes = 192;

/// The first four bytes: 256 (format 1; 192 from GADGET-4) or 8 (format 2).
bool begins_well(std::uint32_t first) {
  return first == header_bytes || first == label_bytes || first == gadget4_header_bytes;
}

/// `bytes` numbers of type From at `at` in the file become T.
template <class From, class T>
void read_converted(const PlainFile& file, std::uint64_t at, std::span<T> out, bool swapped) {
  std::vector<From> piece(std::min<std::size_t>(out.size(), 3 * rows_at_once));
  for (std::size_t done = 0; done < out.size(); done += piece.size()) {
    const std::size_t count = std::min(piece.size(), out.size() - done);
    file.read(at + done * sizeof(From), piece.data(), count * sizeof(From));
    for (std::size_t i = 0; i < count; ++i) out[done + i] = static_cast<T>(swapped ? reversed(piece[i]) : piece[i]);
  }
}

}  // namespace

std::uint64_t GadgetHeader::with_own_masses() const {
  std::uint64_t count = 0;
  for (int type = 0; type < gadget_types; ++type) count += mass[type] == 0 ? here[type] : 0;
  return count;
}

bool GadgetFile::is_one(const std::string& path) {
  const PlainFile file(path);
  std::uint32_t first = 0;
  if (file.size() < sizeof first) return false;
  file.read(0, &first, sizeof first);
  return begins_well(first) || begins_well(reversed(first));
}

GadgetFile::GadgetFile(const std::string& path) : path_(path), file_(path) {
  std::uint32_t first = word(0, "its first record");
  swapped_ = !begins_well(first);
  if (swapped_) first = reversed(first);
  if (!begins_well(first)) refuse("is not in GADGET's format 1 or 2: it begins with neither 256 nor 8", 0);
  named_ = first == label_bytes;
  if (named_ && label(0) != "HEAD") refuse("the first record of a file of GADGET's format 2 should be named HEAD", 0);
  const std::uint64_t at = named_ ? record(0, "the name of the header").end() : 0;
  read_header(at);
  const std::uint64_t next = record(at, "the header").end();
  named_ ? find_by_name(next) : find_in_order(next);
}

void GadgetFile::refuse(const std::string& what, std::uint64_t at) const {
  throw InputError(fmt::format("{}: {} (byte {}): write the file again or copy it again", path_, what, at));
}

std::uint32_t GadgetFile::word(std::uint64_t at, const char* what) const {
  std::uint32_t value = 0;
  if (at > file_.size() || file_.size() - at < sizeof value)
    refuse(fmt::format("ends before {}; it is truncated", what), file_.size());
  file_.read(at, &value, sizeof value);
  return swapped_ ? reversed(value) : value;
}

/// The name that a record of 8 bytes at `at` gives to the next one.
std::string GadgetFile::label(std::uint64_t at) const {
  std::string text(4, ' ');
  if (record(at, "the name of a record").bytes != label_bytes)
    refuse("a record of 8 bytes with the name of the next one should be here", at);
  file_.read(at + 4, text.data(), text.size());
  for (char& letter : text) {
    if (std::isprint(static_cast<unsigned char>(letter)) == 0) letter = '?';
  }
  return text;
}

GadgetFile::Record GadgetFile::record(std::uint64_t at, const char* what) const {
  const Record found{at + 4, word(at, what)};
  if (found.end() > file_.size())
    refuse(fmt::format("{}: its record of {} bytes reaches beyond the end of the file at {}, which is truncated", what,
                       found.bytes, file_.size()),
           at);
  if (const std::uint64_t after = word(found.end() - 4, what); after != found.bytes)
    refuse(fmt::format("{}: its record has the length {} before and {} after it; the file is damaged", what,
                       found.bytes, after),
           at);
  return found;
}

void GadgetFile::read_header(std::uint64_t at) {
  const Record found = record(at, "the header");
  if (found.bytes == gadget4_header_bytes) {
    throw InputError(path_ +
                     ": has the header of GADGET-4's own binary files, which states no cosmology: write the file in "
                     "HDF5 (SnapFormat or ICFormat = 3)");
  }
  if (found.bytes != header_bytes) refuse(fmt::format("its header has {} bytes, not 256", found.bytes), at);
  gadget::RawHeader raw;
  file_.read(found.at, &raw, sizeof raw);
  if (swapped_) reverse(raw);
  for (int type = 0; type < gadget_types; ++type) {
    header_.here[type] = raw.here[type];
    header_.total[type] = std::uint64_t{raw.total[type]} | std::uint64_t{raw.total_high[type]} << 32;
    header_.mass[type] = raw.mass[type];
    if (raw.mass[type] >= 0) continue;  // false for NaN
    refuse(fmt::format("its header has the mass {} for particles of type {}", raw.mass[type], type), at);
  }
  if (raw.files < 0) refuse(fmt::format("its header counts {} files", raw.files), at);
  header_.files = raw.files == 0 ? 1 : static_cast<std::uint64_t>(raw.files);
  // Old files of one piece do not repeat their counts.
  if (header_.files == 1 && std::ranges::all_of(header_.total, [](std::uint64_t n) { return n == 0; }))
    header_.total = header_.here;
  header_.time = raw.time;
  header_.redshift = raw.redshift;
  header_.box = raw.box;
  header_.omega_m = raw.omega_m;
  header_.omega_lambda = raw.omega_lambda;
  header_.h = raw.h;
}

std::uint64_t GadgetFile::rows(Column column) const {
  if (column == Column::masses && !repeats_masses_) return header_.with_own_masses();
  std::uint64_t all = 0;
  for (const std::uint64_t count : header_.here) all += count;
  return all;
}

/// A record whose length is that of the column's rows in single or double precision. Writers of records beyond 4 GiB
/// keep the last 32 bits of their length.
GadgetFile::Place GadgetFile::column(std::uint64_t at, Column column) const {
  const char* what = names_of(column).words;
  const std::uint32_t length = word(at, what);
  const std::uint64_t numbers = rows(column) * numbers_of(column);
  bool fits = false, inside = false;
  for (const unsigned width : {4U, 8U}) {
    const std::uint64_t bytes = numbers * width, end = at + 4 + bytes;
    if (static_cast<std::uint32_t>(bytes) != length) continue;
    fits = true;
    if (end > file_.size() || file_.size() - end < 4) continue;
    inside = true;
    if (word(end, what) == length) return {at + 4, width};
  }
  if (!fits) {
    refuse(fmt::format("its record of {} has {} bytes, but the header's {} particles need {} or {}", what, length,
                       rows(column), numbers * 4, numbers * 8),
           at);
  }
  if (!inside) {
    refuse(fmt::format("its record of {} reaches beyond the end of the file at {}, which is truncated", what,
                       file_.size()),
           at);
  }
  refuse(fmt::format("its record of {} has other lengths before and after it, the file is damaged", what), at);
}

void GadgetFile::find_in_order(std::uint64_t at) {
  for (const Column each : {Column::positions, Column::velocities, Column::ids, Column::masses}) {
    if (rows(each) == 0) continue;
    const Place found = places_[static_cast<std::size_t>(each)] = column(at, each);
    at = found.at + rows(each) * numbers_of(each) * found.width + 4;
  }
}

void GadgetFile::find_by_name(std::uint64_t next) {
  std::uint64_t at = next;
  constexpr std::array all{Column::positions, Column::velocities, Column::ids, Column::masses};
  const auto missing = [&] {
    return std::ranges::find_if(all, [&](Column each) { return rows(each) > 0 && width(each) == 0; });
  };
  while (missing() != all.end()) {
    if (at >= file_.size())
      refuse(fmt::format("has no record of {}; perhaps it is truncated", names_of(*missing()).words), file_.size());
    const std::string name = label(at);
    at = record(at, "the name of a record").end();
    const auto known = std::ranges::find_if(all, [&](Column each) { return names_of(each).block == name; });
    if (known == all.end() || rows(*known) == 0) {
      at = record(at, name.c_str()).end();
      continue;
    }
    if (width(*known) != 0) refuse("has two records of " + std::string(names_of(*known).words), at);
    const Place found = places_[static_cast<std::size_t>(*known)] = column(at, *known);
    at = found.at + rows(*known) * numbers_of(*known) * found.width + 4;
  }
  if (rows(Column::masses) == 0) find_repeated_masses(next);
}

/// Looks on, as far as records have names, for masses that the header states already.
void GadgetFile::find_repeated_masses(std::uint64_t at) {
  constexpr std::uint64_t name_bytes = 4 + label_bytes + 4;
  while (file_.size() - at > name_bytes && word(at, "") == label_bytes &&
         word(at + name_bytes - 4, "") == label_bytes) {
    const bool found = label(at) == names_of(Column::masses).block;
    const std::uint64_t bytes = word(at + 4 + 4, "");  // of the record with its two lengths
    at += name_bytes;
    if (found && bytes > 8) {
      repeats_masses_ = true;
      places_[static_cast<std::size_t>(Column::masses)] = column(at, Column::masses);
      return;
    }
    if (bytes > file_.size() - at) return;
    at += bytes;
  }
}

template <class T>
void GadgetFile::read(Column column, int type, std::uint64_t first, std::span<T> out) const {
  const Place& found = place(column);
  const std::uint64_t count = out.size() / numbers_of(column);
  require(count * numbers_of(column) == out.size(), "GadgetFile::read: room for a part of a row");
  require(found.width > 0 && first <= header_.here[type] && count <= header_.here[type] - first,
          "GadgetFile::read: no such rows");
  std::uint64_t row = first;
  for (int before = 0; before < type; ++before) {
    if (column != Column::masses || repeats_masses_ || header_.mass[before] == 0) row += header_.here[before];
  }
  const std::uint64_t at = found.at + row * numbers_of(column) * found.width;
  if constexpr (std::integral<T>) {
    found.width == 8 ? read_converted<std::uint64_t>(file_, at, out, swapped_)
                     : read_converted<std::uint32_t>(file_, at, out, swapped_);
  } else {
    found.width == 8 ? read_converted<double>(file_, at, out, swapped_)
                     : read_converted<float>(file_, at, out, swapped_);
  }
}

template void GadgetFile::read(Column, int, std::uint64_t, std::span<double>) const;
template void GadgetFile::read(Column, int, std::uint64_t, std::span<float>) const;
template void GadgetFile::read(Column, int, std::uint64_t, std::span<std::uint64_t>) const;

}  // namespace multiwalk
