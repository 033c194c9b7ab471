// SPDX-License-Identifier: GPL-3.0-or-later
// The directory that a run writes into.
#pragma once

#include <string>

namespace multiwalk {

/// Part of the error about a directory that another program uses.
inline constexpr const char* in_use_words = "is in use by a run that has not ended";

enum class ExistingRun { refuse, overwrite, restart };

/// Held while a program uses its directory; file systems without locks grant it always. Released when the process ends.
class RunDirectoryLock {
 public:
  RunDirectoryLock() = default;
  /// Throws InputError if another process holds it.
  explicit RunDirectoryLock(const std::string& directory);
  /// Waits while another process holds it.
  static RunDirectoryLock after_others(const std::string& directory);
  RunDirectoryLock(RunDirectoryLock&& other) noexcept;
  RunDirectoryLock& operator=(RunDirectoryLock&& other) noexcept;
  ~RunDirectoryLock();

 private:
  int descriptor_ = -1;
};

/// Whether a run that has not ended, of this program or another, uses the directory.
bool is_in_use(const std::string& directory);

/// Throws InputError if the name of one of the run's files belongs to a pipe, a device or a directory, or if a file
/// that runs append to is a link, since they would write elsewhere. Other links are followed when read and replaced by
/// files when written.
void require_plain_files(const std::string& directory);

/// Throws InputError if the directory holds a run or the remains of one: trees made from snapshots must not mix with
/// its files.
void refuse_run_directory(const std::string& directory);

/// Creates `directory`, or checks that it may be used. Refuses (InputError) a directory of other files, one that
/// another run uses, and one that holds results of a run unless that is to be restarted or overwritten (its files
/// are then removed, by their exact names, unless the command reads one of them).
[[nodiscard]] RunDirectoryLock prepare_run_directory(const std::string& directory, ExistingRun existing);

}  // namespace multiwalk
