// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/ensemble_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "host/base/error.hpp"
#include "run/setup/run_directory.hpp"

namespace multiwalk {

EnsembleLock::EnsembleLock(const std::string& directory)
    : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

EnsembleLock::~EnsembleLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool is_in_use(const std::string& run_directory) {
  try {
    const RunDirectoryLock lock(run_directory);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

}  // namespace multiwalk
