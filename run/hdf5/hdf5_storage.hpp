// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a dataset's values lie where they can be trusted: in the file itself, or in files beside it.
#pragma once

#include <hdf5.h>

#include <memory>
#include <string>

#include "run/hdf5/hdf5_file.hpp"

namespace multiwalk::hdf5 {

/// Throws InputError, with `label` in the message, if a dataset of the file `path` would read anything but what was
/// written for it: raw data in a foreign file, a virtual dataset whose sources are missing, elsewhere, incomplete or
/// virtual themselves, chunks that were never written. HDF5 would give zeros, or open any file that the dataset names.
void require_stored(hid_t dataset, const std::string& path, const std::string& label);

/// Access properties of what a link names (a link, group or dataset), with which HDF5 stays in the file: else it
/// follows links into other files, also behind soft links, and waits for pipes.
class InsideAccess {
 public:
  /// `kind`: H5P_LINK_ACCESS, H5P_GROUP_ACCESS or H5P_DATASET_ACCESS.
  explicit InsideAccess(hid_t kind);

  [[nodiscard]] hid_t get() const { return properties_.get(); }
  /// Of datasets: the sources of virtual ones lie in the folder of the file `path`.
  void look_for_sources_beside(const std::string& path);
  /// Throws InputError if a call met a link into another file, and failed for it.
  void refuse_links_out(const std::string& name) const;

 private:
  std::unique_ptr<bool> met_link_out_ = std::make_unique<bool>(false);  ///< HDF5 keeps its address
  Handle properties_;
};

}  // namespace multiwalk::hdf5
