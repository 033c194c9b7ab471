// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/fits_table.hpp"

#include <array>
#include <cstdio>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

/// CFITSIO takes texts that it does not change as char*.
char* fits_text(const std::string& s) {
  return const_cast<char*>(s.c_str());
}

void require_fits(int status, const char* what, const std::string& path) {
  if (status == 0) return;
  std::array<char, FLEN_STATUS> reason{};
  fits_get_errstatus(status, reason.data());
  fits_clear_errmsg();
  throw Error(std::string("cannot ") + what + " " + path + ": " + reason.data());
}

}  // namespace

fitsfile* create_fits(const std::string& path) {
  std::remove(path.c_str());
  fitsfile* file = nullptr;
  int status = 0;
  fits_create_diskfile(&file, path.c_str(), &status);
  require_fits(status, "create", path);
  return file;
}

void close_fits(fitsfile* file, int status, const std::string& path) {
  int closed = 0;
  fits_close_file(file, &closed);
  require_fits(status != 0 ? status : closed, "write", path);
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

void write_fits_column(const std::string& path, const std::string& extension, const std::string& name,
                       const std::vector<FitsKey>& keys, std::span<const double> values) {
  int status = 0;
  fitsfile* const file = create_fits(path);
  write_fits_table_header(file, extension, {{name, "D"}}, keys, status);
  fits_write_col(file, TDOUBLE, 1, 1, 1, static_cast<LONGLONG>(values.size()), const_cast<double*>(values.data()),
                 &status);
  close_fits(file, status, path);
}

}  // namespace multiwalk
