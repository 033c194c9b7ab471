// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the files of a snapshot that is split.
#pragma once

#include <string>
#include <vector>

namespace multiwalk {

/// The file that `path` means: the one of this name or, if there is none, the first file of the set with this base
/// name. NAME and NAME.hdf5 stand for NAME.0.hdf5, and NAME also for NAME.0, NAME.hdf5 or NAME.h5.
std::string first_of_set(const std::string& path);

/// Paths of the whole set, given any of them: NAME.0.hdf5, NAME.1.hdf5, ... or NAME.0, NAME.1, ... Throws InputError if
/// there are several but the name has no number.
std::vector<std::string> files_of_set(const std::string& named, int files);

}  // namespace multiwalk
