// SPDX-License-Identifier: GPL-3.0-or-later
// Lets several programs share the directory of an ensemble: one at a time writes files of the whole ensemble.
#pragma once

#include <string>

namespace multiwalk {

/// Waits until no other program holds the lock of this directory; file systems without locks grant it at once.
/// Released when the object or the process ends.
class EnsembleLock {
 public:
  explicit EnsembleLock(const std::string& directory);
  ~EnsembleLock();
  EnsembleLock(const EnsembleLock&) = delete;
  EnsembleLock& operator=(const EnsembleLock&) = delete;

 private:
  int descriptor_;
};

/// Whether a run that has not ended, of this program or another, uses the directory.
bool is_in_use(const std::string& run_directory);

}  // namespace multiwalk
