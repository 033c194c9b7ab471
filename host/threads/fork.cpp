// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/threads/fork.hpp"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <ranges>
#include <vector>

namespace multiwalk {

namespace {

std::atomic<unsigned> forks{0};

struct Mutexes {
  std::mutex adding;
  std::vector<ForkSafeMutex*> all;
};

/// Lives until the process ends, as some of its mutexes do.
Mutexes& mutexes() {
  static auto* const made = new Mutexes;
  return *made;
}

/// The calling thread's OpenMP threads would be missing in the child, which would wait for them for ever. Both
/// processes start new ones when they need them.
void before_fork() {
  omp_pause_resource(omp_pause_soft, omp_get_initial_device());
  mutexes().adding.lock();
  for (ForkSafeMutex* mutex : mutexes().all) mutex->lock();
}

void unlock_all() {
  for (ForkSafeMutex* mutex : std::views::reverse(mutexes().all)) mutex->unlock();
  mutexes().adding.unlock();
}

void after_fork_in_child() {
  ++forks;
  unlock_all();
}

const int watched = pthread_atfork(before_fork, unlock_all, after_fork_in_child);

}  // namespace

unsigned fork_count() noexcept {
  static_cast<void>(watched);
  return forks;
}

ForkSafeMutex::ForkSafeMutex() {
  const std::lock_guard lock(mutexes().adding);
  mutexes().all.push_back(this);
}

ForkSafeMutex::~ForkSafeMutex() {
  const std::lock_guard lock(mutexes().adding);
  std::erase(mutexes().all, this);
}

}  // namespace multiwalk
