// SPDX-License-Identifier: GPL-3.0-or-later
// Particles of a light cone while the run goes: plain rows, a file for each rank, which a restart cuts back to the rows
// that its checkpoint counted.
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

/// Used by one rank. Members throw Error if the file cannot be written.
class ConeRows {
 public:
  /// Continues after the first `rows` rows; 0: begins anew. Throws InputError if there are fewer.
  ConeRows(const std::string& path, std::uint64_t rows);

  void add(const ConeRow& row);
  /// Hands all rows to the operating system; sync: to the disk.
  void flush();
  void sync();
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

 private:
  FileDescriptor file_;
  std::vector<ConeRow> waiting_;
  std::uint64_t rows_;
};

/// Writes the first rows[k] rows of the files of all ranks k as one HDF5 file in the layout of GADGET-4's light cones,
/// in bounded memory. `header`: further attributes. Throws Error, with nothing left under the final name.
void write_cone_file(const std::string& path, const std::string& directory, std::span<const std::uint64_t> rows,
                     std::span<const std::pair<std::string, double>> header);

}  // namespace multiwalk
