// SPDX-License-Identifier: GPL-3.0-or-later
// Small files in one call: written whole or not at all, read whole.
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

/// Writes aside, fsyncs, renames and fsyncs the directory (partial_file.hpp). Throws Error, with nothing left behind
/// and the earlier file at `path` unharmed.
void write_file_atomically(const std::string& path, std::string_view contents);

/// Reads a whole ordinary file (plain_file.hpp). Throws InputError if it cannot be read.
std::string read_whole_file(const std::string& path);

}  // namespace multiwalk
