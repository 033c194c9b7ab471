// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/library/direct_library.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "host/base/error.hpp"
#include "host/text/plain_number.hpp"
#include "host/threads/most_threads.hpp"

namespace multiwalk {

namespace {

/// The value of the choice with this name.
template <class Value, std::size_t n>
Value chosen(std::string_view option, std::string_view name, const std::pair<std::string_view, Value> (&choices)[n]) {
  std::string names;
  for (const auto& [choice, value] : choices) {
    if (choice == name) return value;
    names.append(names.empty() ? "" : ", ").append(choice);
  }
  throw InputError(std::string(option) + " = '" + std::string(name) + "': choose one of " + names);
}

int number(std::string_view option, std::string_view text) {
  if (const auto value = number_in<int>(text); value && *value >= 0) return *value;
  throw InputError(std::string(option) + " = '" + std::string(text) + "' is not a whole number, 0 or greater");
}

constexpr std::pair<std::string_view, std::string_view> backends[] = {
    {"auto", "auto"}, {"cuda", "cuda"}, {"cpu", "cpu"}, {"scalar", "scalar"}};
constexpr std::pair<std::string_view, Accumulation> accumulations[] = {{"plain", Accumulation::plain},
                                                                       {"chamomile", Accumulation::chamomile},
                                                                       {"compensated", Accumulation::compensated},
                                                                       {"mixed", Accumulation::mixed},
                                                                       {"full", Accumulation::full}};
constexpr std::pair<std::string_view, Splitting> splittings[] = {{"single", Splitting::single},
                                                                 {"hi_lo", Splitting::hi_lo}};

}  // namespace

void set_option(DirectLibraryOptions& options, std::string_view option, std::string_view value) {
  if (option == "backend") {
    options.backend = chosen(option, value, backends);
  } else if (option == "device") {
    options.device = number(option, value);
  } else if (option == "threads") {
    options.threads = number(option, value);
    if (options.threads > most_threads()) {
      throw InputError(
          fmt::format("threads = {}: at most {} are allowed on this machine", options.threads, most_threads()));
    }
  } else if (option == "accumulation") {
    options.precision.accumulation = chosen(option, value, accumulations);
  } else if (option == "splitting") {
    options.precision.splitting = chosen(option, value, splittings);
  } else {
    throw InputError("there is no option '" + std::string(option) +
                     "': choose backend, device, threads, accumulation or splitting");
  }
}

std::unique_ptr<DirectBackend> make_direct_backend(const DirectLibraryOptions& options) {
  if (options.device >= 0 && (options.backend == "cpu" || options.backend == "scalar")) {
    throw InputError(
        fmt::format("device = {} is a GPU's number, which backend = {} does not use", options.device, options.backend));
  }
  if (options.backend == "scalar") return make_scalar_direct_backend();
  if (options.backend != "cpu") {
    std::string why;
    if (auto cuda = try_cuda_direct_backend(options.device, why)) return cuda;
    if (options.backend == "cuda") throw UnavailableBackend("no CUDA: " + why);
    if (options.device >= 0) throw UnavailableBackend(fmt::format("no GPU {}: {}", options.device, why));
  }
  return make_simd_direct_backend(options.threads);
}

void DirectLibrary::set(std::string_view option, std::string_view value) {
  std::vector<std::unique_ptr<DirectBackend>> dropped;  // after the lock
  const std::lock_guard lock(mutex_);
  set_option(options_, option, value);
  ++version_;
  dropped.swap(idle_);
}

DirectLibrary::Lease DirectLibrary::take() {
  Lease lease;
  DirectLibraryOptions options;
  {
    const std::lock_guard lock(mutex_);
    options = options_;
    lease.version = version_;
    if (std::exchange(forks_, fork_count()) != fork_count()) {
      for (auto& parents : idle_) static_cast<void>(parents.release());  // with their devices, which are not ours
      idle_.clear();
    }
    if (!idle_.empty()) {
      lease.backend = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  lease.precision = options.precision;
  if (!lease.backend) lease.backend = make_direct_backend(options);
  return lease;
}

void DirectLibrary::give_back(Lease lease) {
  const std::lock_guard lock(mutex_);
  if (lease.version == version_ && idle_.size() < most_idle) idle_.push_back(std::move(lease.backend));
}

void DirectLibrary::sum(DirectTask task) {
  Lease lease = take();
  task.precision = lease.precision;
  lease.backend->sum(task);
  give_back(std::move(lease));
}

std::string DirectLibrary::description() {
  Lease lease = take();
  std::string text = std::string(lease.backend->name()) + ": " + lease.backend->description();
  give_back(std::move(lease));
  return text;
}

}  // namespace multiwalk
