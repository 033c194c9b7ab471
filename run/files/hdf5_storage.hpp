// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a dataset's values lie where they can be trusted: in the file itself, or in files beside it.
#pragma once

#include <hdf5.h>

#include <string>

namespace multiwalk::hdf5 {

/// Throws InputError, with `label` in the message, if a dataset of the file `path` would read anything but what was
/// written for it: raw data in a foreign file, a virtual dataset whose sources are missing, elsewhere, incomplete or
/// virtual themselves, chunks that were never written. HDF5 would give zeros, or open any file that the dataset names.
void require_stored(hid_t dataset, const std::string& path, const std::string& label);

/// Throws InputError if a part of `link` leads into another file.
void refuse_external_links(hid_t object, const std::string& link, const std::string& name);

/// Dataset access properties under which the sources of virtual datasets are looked for beside `path` alone. The caller
/// closes them (H5Pclose).
hid_t beside_access(const std::string& path);

}  // namespace multiwalk::hdf5
