// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/solver_pool.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/threads/fork.hpp"
#include "run/machine/memory_limit.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_idle = 4;
constexpr std::size_t bytes_each = 300;  ///< per particle, of store and tree
constexpr std::size_t tree_bytes = 200;  ///< per particle, of the host's tree and the scratch memory of its sort

/// Solvers that nobody uses. Lives until the process ends: a device's driver may be gone when destructors run.
class Idle {
 public:
  std::unique_ptr<PooledSolver> take(const std::string& backend) {
    const std::lock_guard lock(mutex_);
    auto node = of_this_process().extract(backend);
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  void give_back(const std::string& backend, std::unique_ptr<PooledSolver> owned) {
    const std::size_t own = owned->kept_bytes();
    if (own + kept_bytes() > most_kept_bytes()) owned->release();
    const std::lock_guard lock(mutex_);
    if (of_this_process().size() < most_idle) of_this_process().emplace(backend, std::move(owned));
  }

 private:
  using Solvers = std::multimap<std::string, std::unique_ptr<PooledSolver>>;

  std::size_t kept_bytes() {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& [name, solver] : of_this_process()) bytes += solver->kept_bytes();
    return bytes;
  }
  /// A forked process leaves those of its parent alone: their threads and devices are not its own.
  Solvers& of_this_process() {
    if (std::exchange(forks_, fork_count()) != fork_count()) solvers_ = new Solvers;
    return *solvers_;
  }

  ForkSafeMutex mutex_;
  unsigned forks_ = fork_count();
  Solvers* solvers_ = new Solvers;
};

Idle& idle() {
  static auto* const all = new Idle;
  return *all;
}

void give_back(const std::string& backend, PooledSolver* used) {
  std::unique_ptr<PooledSolver> owned(used);
  if (owned->ends_good() || std::uncaught_exceptions() == 0) idle().give_back(backend, std::move(owned));
}

auto values_of(const GravityOptions& o) {
  return std::tuple(o.mac, o.theta, o.alpha, o.multipole, o.group_size, o.leaf_size, o.expansion);
}

}  // namespace

GravitySolver& PooledSolver::solver(const GravityOptions& options, int threads) {
  if (!solver_ || solver_->threads() != threads || values_of(solver_->options()) != values_of(options)) {
    solver_.reset();
    solver_ = std::make_unique<GravitySolver>(options, *choice_.backend, threads);
  }
  return *solver_;
}

std::size_t PooledSolver::kept_bytes() const {
  std::size_t bytes = in_order_ ? 0 : system_.particles.size() * tree_bytes;
  system_.particles.for_each_array(
      [&](std::string_view, const auto& array) { bytes += array.capacity() * sizeof array[0]; });
  return bytes;
}

void PooledSolver::release() {
  system_ = {};
  solver_.reset();
  in_order_ = false;
}

std::size_t most_kept_bytes() {
  static const std::size_t usable = usable_memory(), least = 2'000'000 * bytes_each;
  return usable == 0 ? least : std::min(std::max(least, usable / 32), usable / 8);
}

BorrowedSolver borrow_solver(const std::string& backend) {
  std::unique_ptr<PooledSolver> solver = idle().take(backend);
  if (!solver) solver = std::make_unique<PooledSolver>(backend);
  return {solver.release(), [backend](PooledSolver* used) { give_back(backend, used); }};
}

}  // namespace multiwalk
