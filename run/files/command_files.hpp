// SPDX-License-Identifier: GPL-3.0-or-later
// The files that a command reads and writes: it never overwrites one that it reads, by whatever name or link. Whatever
// opens a file for reading calls note_input, and whatever gives a file its final name calls refuse_input (PlainFile,
// HDF5 files and PartialFile do), so that a command only adds the names that its user gave.
#pragma once

#include <functional>
#include <string>

namespace multiwalk {

/// While it exists, this process runs one command and remembers its files. Without it, as in a library, nothing is
/// remembered or refused.
class RememberedFiles {
 public:
  RememberedFiles();
  RememberedFiles(const RememberedFiles&) = delete;
  RememberedFiles& operator=(const RememberedFiles&) = delete;
  ~RememberedFiles();
};

/// The command reads the file. Throws InputError if its user also named it as an output.
void note_input(const std::string& path);

/// The file that the user named by this option as an output: symbolic links are followed, as they are nowhere else.
/// Throws InputError if it is no file name, if the command reads the file, or if another option names it, too.
std::string named_output(const std::string& path, const std::string& option);

/// Throws InputError if the command has read the file that has this name. A symbolic link is not followed: it is not
/// the file that it leads to, and writers replace it.
void refuse_input(const std::string& path);

/// The directory belongs to the command, which reads its own files there and writes them again: what it reads there, or
/// has read, is no input.
void own_directory(const std::string& directory);

/// The first file that the command has read from this directory and whose name satisfies `is_meant`; empty if there is
/// none.
std::string input_from(const std::string& directory, const std::function<bool(const std::string& name)>& is_meant);

}  // namespace multiwalk
