// SPDX-License-Identifier: GPL-3.0-or-later
// Errors known to every rank: collective work either succeeds on all ranks or fails on all with one message.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "decomposition/ranks/communicator.hpp"
#include "host/base/error.hpp"
#include "host/base/out_of_memory.hpp"

namespace multiwalk {

/// An error that all ranks throw with the same text; rank 0 prints it.
class SharedError : public InputError {
 public:
  using InputError::InputError;
};

/// If any rank has a failure, throws SharedError on every rank with the text of the lowest such rank. Collective.
void agree_on_success(const Communicator& comm, const std::optional<std::string>& failure);

/// Calls act, which must not communicate, on every rank. If it throws anywhere, every rank throws SharedError with the
/// message of the lowest such rank. Collective.
template <class Act>
auto collectively(const Communicator& comm, Act act) {
  using Result = decltype(act());
  std::optional<std::string> failure;
  const auto guarded = [&](auto&& call) {
    try {
      call();
    } catch (const std::bad_alloc& lack) {
      failure = lack_text(lack).data();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    agree_on_success(comm, failure);
  };
  if constexpr (std::is_void_v<Result>) {
    guarded(act);
  } else {
    std::optional<Result> result;
    guarded([&] { result.emplace(act()); });
    return std::move(*result);
  }
}

/// Calls make on rank 0; every rank gets the text, or throws SharedError. Collective.
template <class Make>
std::string text_from_root(const Communicator& comm, Make make) {
  std::string text = collectively(comm, [&]() -> std::string { return comm.root() ? make() : std::string(); });
  return comm.broadcast(std::move(text));
}

}  // namespace multiwalk
