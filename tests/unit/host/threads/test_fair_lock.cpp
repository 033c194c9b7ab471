// SPDX-License-Identifier: GPL-3.0-or-later
// Threads take turns in the order in which they ask; forked processes find no lock taken, or are told so.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "host/threads/fair_lock.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {
namespace {

constexpr unsigned patience = 20;  // s

/// The exit status of a forked process that returns act(); -1 if it hangs or crashes.
template <class Act>
int in_fork(const Act& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience);
    ::_exit(act());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FairLock, OneThreadAtATimeInTheOrderOfAsking) {
  FairLock lock;
  std::vector<int> order;
  ASSERT_TRUE(lock.lock());
  ASSERT_TRUE(lock.lock());  // again by the same thread
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      ASSERT_TRUE(lock.lock());
      order.push_back(t);
      lock.unlock();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // until it waits
  }
  lock.unlock();
  EXPECT_TRUE(order.empty());  // still held once
  lock.unlock();
  ASSERT_TRUE(lock.lock());  // asked last
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  lock.unlock();
}

TEST(FairLock, AForkTellsWhatItsParentsThreadsHold) {
  FairLock held, free;
  std::atomic<bool> taken = false, ends = false;
  std::jthread holder([&] {
    ASSERT_TRUE(held.lock());
    taken = true;
    while (!ends) std::this_thread::yield();
    held.unlock();
  });
  while (!taken) std::this_thread::yield();
  std::jthread waiter([&] {
    if (held.lock()) held.unlock();
  });
  const auto locks = [&] { return (held.lock() ? 2 : 0) + (free.lock() ? 1 : 0); };
  EXPECT_EQ(in_fork(locks), 1);
  ends = true;
  holder.join();
  waiter.join();
  EXPECT_EQ(in_fork(locks), 3);  // nobody has it, whoever waited for it
  EXPECT_EQ(locks(), 3);
}

TEST(Fork, WaitsForMutexesAndCounts) {
  ForkSafeMutex mutex;
  std::atomic<bool> ends = false;
  std::jthread user([&] {
    while (!ends) {
      const std::lock_guard lock(mutex);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  const unsigned before = fork_count();
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(in_fork([&] {
                const std::lock_guard lock(mutex);
                return static_cast<int>(fork_count() - before);
              }),
              1);
  }
  EXPECT_EQ(fork_count(), before);
  ends = true;
}

/// Without a fresh set of OpenMP threads the child waits for those of its parent.
TEST(Fork, HasOpenMpThreadsOfItsOwn) {
  const auto threads = [] {
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count += 1;
    return count;
  };
  const int here = threads();
  EXPECT_EQ(in_fork(threads), here);
  EXPECT_EQ(threads(), here);
}

}  // namespace
}  // namespace multiwalk
