// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the particles of a light cone during the run as plain rows, in one file per rank. A restart truncates each
// file to the number of rows that its checkpoint recorded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/base/vec3.hpp"
#include "run/files/partial_file.hpp"

namespace multiwalk {

struct ConeRow {
  Vec3d position;  ///< relative to the observer, comoving Mpc/h
  double a;
  std::uint64_t id;
  Vec3f velocity;  ///< sqrt(a) dx/dt, km/s
  float mass;      ///< 1e10 Msun/h
};

std::string cone_rows_path(const std::string& directory, std::size_t part);

/// The file of one rank. Members throw Error if the file cannot be written.
class ConeRows {
 public:
  /// Continues after the first `rows` rows; 0: starts a new file. Throws InputError if the file has fewer rows.
  ConeRows(const std::string& path, std::uint64_t rows);

  void add(const ConeRow& row);
  /// flush() writes all rows to the operating system, sync() to the disk.
  void flush();
  void sync();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  FileDescriptor file_;
  std::vector<ConeRow> waiting_;
  std::uint64_t rows_;
};

/// Writes the first rows[k] rows of the file of each rank k into one HDF5 file in the layout of GADGET-4's light cones,
/// in bounded memory. `header`: further attributes. Throws Error; then no file is left under the final name.
void write_cone_file(const std::string& path, const std::string& directory, std::span<const std::uint64_t> rows,
                     std::span<const std::pair<std::string, double>> header);

}  // namespace multiwalk
