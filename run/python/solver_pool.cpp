// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/python/solver_pool.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>
#include <utility>

#include "run/machine/memory_limit.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_idle = 4;
constexpr std::size_t bytes_each = 300;  ///< per particle, of store and tree
constexpr std::size_t tree_bytes = 200;  ///< per particle, of the host's tree and the scratch memory of its sort

std::mutex mutex;

/// Lives until the process ends: a device's driver may be gone when destructors run.
std::multimap<std::string, std::unique_ptr<PooledSolver>>& idle() {
  static auto* const all = new std::multimap<std::string, std::unique_ptr<PooledSolver>>;
  return *all;
}

void give_back(const std::string& backend, PooledSolver* used) {
  std::unique_ptr<PooledSolver> owned(used);
  if (!owned->ends_good() && std::uncaught_exceptions() > 0) return;
  const std::lock_guard lock(mutex);
  std::size_t kept = owned->kept_bytes();
  for (const auto& [name, solver] : idle()) kept += solver->kept_bytes();
  if (kept > most_kept_bytes()) owned->release();
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
  std::unique_ptr<PooledSolver> solver = take(backend);
  if (!solver) solver = std::make_unique<PooledSolver>(backend);
  return {solver.release(), [backend](PooledSolver* used) { give_back(backend, used); }};
}

}  // namespace multiwalk
