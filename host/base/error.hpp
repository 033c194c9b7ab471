// SPDX-License-Identifier: GPL-3.0-or-later
// The two exceptions of the program. They end in main, as one line and exit code 1.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace multiwalk {

/// "host/base/error.hpp:12": without the folder in which this program was built.
inline std::string place_in_source(const std::source_location& where) {
  constexpr std::string_view here = "host/base/error.hpp";
  const std::string_view own = std::source_location::current().file_name();
  std::string_view file = where.file_name();
  if (own.ends_with(here) && file.starts_with(own.substr(0, own.size() - here.size())))
    file.remove_prefix(own.size() - here.size());
  return std::string(file) + ":" + std::to_string(where.line());
}

/// An internal failure (a library call, a broken invariant); the message carries file:line.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what, const std::source_location& where = std::source_location::current())
      : std::runtime_error(what + " [" + place_in_source(where) + "]") {}
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
