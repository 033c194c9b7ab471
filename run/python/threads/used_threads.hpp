// SPDX-License-Identifier: GPL-3.0-or-later
// OpenMP's number of threads for the duration of one call.
#pragma once

#include <omp.h>

#include <algorithm>

#include "host/threads/most_threads.hpp"
#include "run/machine/machine.hpp"

namespace multiwalk {

/// Restores the number of the calling thread afterwards, so that no call changes the default of another.
class UsedThreads {
 public:
  /// 0: OpenMP's default. Throws InputError beyond most_threads().
  explicit UsedThreads(int threads = 0) : before_(omp_get_max_threads()) {
    use_threads(threads > 0 ? threads : std::min(before_, most_threads()), "threads");
  }
  ~UsedThreads() { omp_set_num_threads(before_); }
  UsedThreads(const UsedThreads&) = delete;
  UsedThreads& operator=(const UsedThreads&) = delete;

 private:
  int before_;
};

}  // namespace multiwalk
