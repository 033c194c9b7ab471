// SPDX-License-Identifier: GPL-3.0-or-later
// One HDF5 file filled by many ranks: with parallel HDF5 all write at once, otherwise the first writes for all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "decomposition/ranks/communicator.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk::hdf5 {

/// A file with datasets of Storage::shared, made and closed by one rank, its space on disk reserved. All members are
/// collective over `comm` and throw SharedError. CMake chooses hdf5_shared_parallel.cpp or hdf5_shared_gathered.cpp.
///
/// Transfers are independent even in parallel: when one rank cannot write (measured with HDF5 1.10.8 and MPICH 4.0, a
/// limit on one rank's file size), a collective transfer never returns on the others. Filtered (Fletcher-32) chunks
/// can only be written by collective transfers.
class SharedFile {
 public:
  SharedFile(std::string path, Communicator comm);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  /// After an error the file is left open: closing it would wait for ranks that may never have opened it.
  ~SharedFile();

  /// Each rank's `rows` rows of the source, from `first` on, become rows of the dataset group/link, those of lower
  /// ranks before those of higher ones.
  void write(const std::string& group, const RowSource& source, std::uint64_t first, std::uint64_t rows);
  void close();

 private:
  Communicator comm_;
  std::optional<File> file_;  ///< absent on ranks that do not write themselves
};

}  // namespace multiwalk::hdf5
