// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of a handle of multiwalk_direct.h: its options, and back ends for as many calls as are in flight.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/direct/direct_backend.hpp"
#include "host/threads/fork.hpp"

namespace multiwalk {

/// A back end that was asked for does not work on this machine.
class UnavailableBackend : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct DirectLibraryOptions {
  std::string backend = "auto";
  int device = -1;  ///< -1: the first that works
  int threads = 0;
  DirectPrecision precision;
};

/// Sets an option as in multiwalk_direct_set(). Throws InputError.
void set_option(DirectLibraryOptions& options, std::string_view option, std::string_view value);

/// A back end by its options. Throws UnavailableBackend, or InputError if they contradict each other.
std::unique_ptr<DirectBackend> make_direct_backend(const DirectLibraryOptions& options);

/// The direct sums of a CUDA device (-1: of the first that works); null without one: then `why` is set.
/// (direct_cuda.cpp or direct_no_cuda.cpp)
std::unique_ptr<DirectBackend> try_cuda_direct_backend(int device, std::string& why);

/// Any member may be called by several threads at once.
class DirectLibrary {
 public:
  void set(std::string_view option, std::string_view value);
  /// Computes the task's results with the current options, which also set its precision.
  void sum(DirectTask task);
  std::string description();

 private:
  /// A back end in use by one call; one that failed is not returned.
  struct Lease {
    std::unique_ptr<DirectBackend> backend;
    DirectPrecision precision;
    int version = 0;
  };
  static constexpr std::size_t most_idle = 256;

  Lease take();
  void give_back(Lease lease);

  ForkSafeMutex mutex_;
  DirectLibraryOptions options_;
  int version_ = 0;  ///< of the options
  std::vector<std::unique_ptr<DirectBackend>> idle_;
  unsigned forks_ = fork_count();  ///< of the process whose back ends are idle
};

}  // namespace multiwalk
