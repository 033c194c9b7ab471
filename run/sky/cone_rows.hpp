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

/// The rows of a file so far, as a checkpoint records them.
struct StoredRows {
  std::uint64_t rows = 0;
  std::uint32_t checksum = 0;
};

std::string cone_rows_path(const std::string& directory, std::size_t part);

/// The file of one rank. Members throw Error if the file cannot be written.
class ConeRows {
 public:
  /// Continues after these rows; without rows: starts a new file. Throws InputError if the file has others.
  ConeRows(const std::string& path, const StoredRows& before);

  void add(const ConeRow& row);
  /// flush() writes all rows to the operating system, sync() to the disk.
  void flush();
  void sync();
  [[nodiscard]] StoredRows stored() const { return stored_; }

 private:
  FileDescriptor file_;
  std::vector<ConeRow> waiting_;
  StoredRows stored_;
};

/// Writes the rows of the files of all ranks into one HDF5 file in the layout of GADGET-4's light cones,
/// in bounded memory. `header`: further attributes. Throws Error; then no file is left under the final name.
void write_cone_file(const std::string& path, const std::string& directory, std::span<const StoredRows> rows,
                     std::span<const std::pair<std::string, double>> header);

}  // namespace multiwalk
