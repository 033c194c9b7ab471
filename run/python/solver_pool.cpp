// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/solver_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace multiwalk {

namespace {

constexpr std::size_t most_idle = 4;
constexpr std::size_t bytes_each = 300;  ///< of store and tree, for a particle

/// Particles whose memory is kept between calls: two million, or more if that takes at most a 32nd of the machine's
/// memory.
std::size_t most_kept() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  const std::size_t memory =
      pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : 0;
  return std::max<std::size_t>(2'000'000, memory / 32 / bytes_each);
}

std::mutex mutex;

/// Lives until the process ends: a device's driver may be gone when destructors run.
std::multimap<std::string, std::unique_ptr<PooledSolver>>& idle() {
  static auto* const all = new std::multimap<std::string, std::unique_ptr<PooledSolver>>;
  return *all;
}

void give_back(const std::string& backend, PooledSolver* used) {
  std::unique_ptr<PooledSolver> owned(used);
  if (std::uncaught_exceptions() > 0) return;
  owned->end_call();
  const std::lock_guard lock(mutex);
  if (idle().size() < most_idle) idle().emplace(backend, std::move(owned));
}

std::unique_ptr<PooledSolver> take(const std::string& backend) {
  const std::lock_guard lock(mutex);
  const auto found = idle().find(backend);
  if (found == idle().end()) return nullptr;
  auto node = idle().extract(found);
  return std::move(node.mapped());
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

void PooledSolver::end_call() {
  if (system_.particles.size() <= most_kept()) return;
  system_ = {};
  solver_.reset();
}

BorrowedSolver borrow_solver(const std::string& backend) {
  std::unique_ptr<PooledSolver> solver = take(backend);
  if (!solver) solver = std::make_unique<PooledSolver>(backend);
  return {solver.release(), [backend](PooledSolver* used) { give_back(backend, used); }};
}

}  // namespace multiwalk
