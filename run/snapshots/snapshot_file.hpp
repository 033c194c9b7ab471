// SPDX-License-Identifier: GPL-3.0-or-later
// One file of a snapshot, HDF5 or binary: the rows of its particles.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "run/formats/columns.hpp"
#include "run/formats/gadget_file.hpp"
#include "run/formats/species.hpp"
#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk {

class SnapshotFile {
 public:
  /// The kind is recognised by the first bytes. Throws InputError if it is neither, cannot be read or is damaged.
  static SnapshotFile open(const std::string& named);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const hdf5::File* hdf5() const { return std::get_if<hdf5::File>(&file_); }
  [[nodiscard]] const GadgetFile* gadget() const { return std::get_if<GadgetFile>(&file_); }

  /// Bytes of each number of a column, which the file must have.
  [[nodiscard]] unsigned width(Column column, int type) const;
  /// The rows of a type of particles from `first` on for which `out` has room, in the file's units.
  template <class T>
  void read(Column column, int type, std::uint64_t first, std::span<T> out) const {
    if (const GadgetFile* binary = gadget()) return binary->read(column, type, first, out);
    if (!out.empty()) particles(type).read_rows(names_of(column).dataset, first, numbers_of(column), out);
  }

  /// Throws InputError if masses that the file states for these rows differ from MassTable by more than 1e-5.
  void expect_mass(const Species& species, std::uint64_t first, std::uint64_t count) const;

 private:
  explicit SnapshotFile(std::variant<hdf5::File, GadgetFile> file) : file_(std::move(file)) {}
  [[nodiscard]] hdf5::Object particles(int type) const;

  std::variant<hdf5::File, GadgetFile> file_;
};

}  // namespace multiwalk
