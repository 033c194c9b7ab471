// SPDX-License-Identifier: GPL-3.0-or-later
// The two exceptions of the program. They end in main, as one line and exit code 1.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace multiwalk {

/// An internal failure (a library call, a broken invariant); the message carries file:line.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, const std::source_location& where = std::source_location::current())
      : std::runtime_error(what + " [" + where.file_name() + ":" + std::to_string(where.line()) + "]") {}
};

/// The user's input cannot be used: one line that says what, where and what to do.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Error when `ok` is false.
inline void require(bool ok, const std::string& what,
                    const std::source_location& where = std::source_location::current()) {
  if (!ok) throw Error(what, where);
}

}  // namespace multiwalk
