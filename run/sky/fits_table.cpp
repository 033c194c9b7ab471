// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/fits_table.hpp"

#include <array>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

/// CFITSIO takes texts that it does not change as char*.
char* fits_text(const std::string& s) {
  return const_cast<char*>(s.c_str());
}

}  // namespace

void require_fits(int status, const char* what, const std::string& path) {
  if (status == 0) return;
  std::array<char, FLEN_STATUS> reason{};
  fits_get_errstatus(status, reason.data());
  fits_clear_errmsg();
  throw Error(std::string("cannot ") + what + " " + path + ": " + reason.data());
}

void write_fits_keys(fitsfile* file, const std::vector<FitsKey>& keys, int& status) {
  for (const FitsKey& key : keys) {
    const char* comment = key.comment.c_str();
    if (const auto* number = std::get_if<double>(&key.value)) {
      fits_write_key_dbl(file, key.name.c_str(), *number, -15, comment, &status);
    } else if (const auto* whole = std::get_if<std::int64_t>(&key.value)) {
      fits_write_key_lng(file, key.name.c_str(), *whole, comment, &status);
    } else {
      fits_write_key_str(file, key.name.c_str(), std::get<std::string>(key.value).c_str(), comment, &status);
    }
  }
}

void write_fits_table_header(fitsfile* file, const std::string& extension, const std::vector<FitsColumn>& columns,
                             const std::vector<FitsKey>& keys, int& status) {
  std::vector<char*> names, forms;
  for (const FitsColumn& column : columns) {
    names.push_back(fits_text(column.name));
    forms.push_back(fits_text(column.form));
  }
  fits_create_tbl(file, BINARY_TBL, 0, static_cast<int>(columns.size()), names.data(), forms.data(), nullptr,
                  extension.c_str(), &status);
  write_fits_keys(file, keys, status);
}

FitsTable::FitsTable(const std::string& path, const std::string& extension, const std::vector<FitsColumn>& columns,
                     const std::vector<FitsKey>& keys)
    : path_(path) {
  fits_create_diskfile(&file_, path.c_str(), &status_);
  require("create");
  write_fits_table_header(file_, extension, columns, keys, status_);
  require("write");
}

FitsTable::~FitsTable() {
  int ignored = 0;
  if (file_ != nullptr) fits_close_file(file_, &ignored);
}

void FitsTable::write(int column, std::uint64_t at, std::span<const std::uint32_t> values) {
  write(column, at, TUINT, values.data(), values.size());
}

void FitsTable::write(int column, std::uint64_t at, std::span<const std::int64_t> values) {
  write(column, at, TLONGLONG, values.data(), values.size());
}

void FitsTable::write(int column, std::uint64_t at, std::span<const double> values) {
  write(column, at, TDOUBLE, values.data(), values.size());
}

void FitsTable::write(int column, std::uint64_t at, int type, const void* values, std::size_t count) {
  fits_write_col(file_, type, column + 1, static_cast<LONGLONG>(at) + 1, 1, static_cast<LONGLONG>(count),
                 const_cast<void*>(values), &status_);
  require("write");
}

void FitsTable::close() {
  fits_close_file(file_, &status_);
  file_ = nullptr;
  require("write");
}

void FitsTable::require(const char* what) {
  require_fits(status_, what, path_);
}

}  // namespace multiwalk
