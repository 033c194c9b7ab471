// SPDX-License-Identifier: GPL-3.0-or-later
// Names of the files of a snapshot that is split.
#pragma once

#include <string>
#include <vector>

namespace multiwalk {

/// The file that a path names, which may be the base name of a snapshot: `path` itself if it exists, or if nothing
/// fits; else PATH.hdf5, PATH.0.hdf5 or PATH.0 (for NAME.hdf5 NAME.0.hdf5).
std::string file_of_base(const std::string& path);

/// Paths of the whole set, given any of them: NAME.0.hdf5, NAME.1.hdf5, ... or NAME.0, NAME.1, ... Throws InputError if
/// there are several but the name has no number.
std::vector<std::string> files_of_set(const std::string& path, int files);

}  // namespace multiwalk
