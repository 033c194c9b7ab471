// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/sky/fits_rows.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"

namespace multiwalk {

namespace {

constexpr std::uint64_t fits_block = 2880;

/// Enters the number of rows into the header of a table without rows, at `header`, and extends the file by zeros to
/// `bytes`. CFITSIO would write these zeros.
void enter_rows(const std::string& path, std::uint64_t header, std::uint64_t rows, std::uint64_t bytes) {
  constexpr std::uint64_t card = 80;
  const std::uint64_t place = header + 4 * card;  // after XTENSION, BITPIX, NAXIS, NAXIS1
  std::string start(10, ' ');
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place));
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!file || start != "NAXIS2  = ") throw Error("cannot write " + path + ": NAXIS2 is not where it should be");
  const std::string value = fmt::format("{:>20}", rows);
  FileDescriptor table = FileDescriptor::open(path);
  table.write_at(place + start.size(), value.data(), value.size());
  table.cut(bytes);
  table.close();
}

}  // namespace

FitsRows FitsRows::make(const std::string& path, const std::string& extension, const std::vector<FitsColumn>& columns,
                        const std::vector<FitsKey>& keys, std::uint64_t rows, std::size_t row_bytes) {
  int status = 0;
  fitsfile* const file = create_fits(path);
  write_fits_table_header(file, extension, columns, keys, status);
  LONGLONG header = 0, data = 0, end = 0;
  fits_get_hduaddrll(file, &header, &data, &end, &status);
  close_fits(file, status, path);
  FitsRows table{std::filesystem::file_size(path), row_bytes, 0};
  table.bytes = (table.data + rows * row_bytes + fits_block - 1) / fits_block * fits_block;
  enter_rows(path, static_cast<std::uint64_t>(header), rows, table.bytes);
  return table;
}

}  // namespace multiwalk
