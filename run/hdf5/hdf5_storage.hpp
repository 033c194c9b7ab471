// SPDX-License-Identifier: GPL-3.0-or-later
// Checks that a dataset's values are stored where they can be trusted: in the file itself, or in files beside it.
#pragma once

#include <hdf5.h>

#include <memory>
#include <string>

#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk::hdf5 {

/// Throws InputError, with `label` in the message, if reading a dataset of the file `path` would give anything but the
/// values written for it: if raw data lie in another file, if the sources of a virtual dataset are missing, elsewhere,
/// incomplete or virtual themselves, or if chunks were never written. HDF5 would return zeros, or open any file that
/// the dataset names.
void require_stored(hid_t dataset, const std::string& path, const std::string& label);

/// An existing HDF5 file, to be read. Throws InputError: it cannot be read, or another program has it open for writing.
/// On file systems that have no locks it is opened without one.
Handle open_to_read(const std::string& path);

/// Switches HDF5's locks off, for files that only this program writes, under names of its own.
void write_without_locks(hid_t access, const std::string& path);

/// Access properties for the target of a link (a link, group or dataset) that keep HDF5 inside the file: otherwise it
/// follows links into other files, also through soft links, and waits for pipes.
class InsideAccess {
 public:
  /// `kind`: H5P_LINK_ACCESS, H5P_GROUP_ACCESS or H5P_DATASET_ACCESS.
  explicit InsideAccess(hid_t kind);

  [[nodiscard]] hid_t get() const { return properties_.get(); }
  /// For datasets: sources of virtual ones are read from the folder of the file `path`.
  void look_for_sources_beside(const std::string& path);
  /// Throws InputError if a call failed because it met a link into another file.
  void refuse_links_out(const std::string& name) const;

 private:
  std::unique_ptr<bool> met_link_out_ = std::make_unique<bool>(false);  ///< HDF5 keeps its address
  Handle properties_;
};

}  // namespace multiwalk::hdf5
