// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of tests that the sanitizers make twenty times slower.
#pragma once

namespace multiwalk::test {

/// Whether this is the debug build (tests/CMakeLists.txt), whose sanitizers look for faults in memory and arithmetic.
inline constexpr bool sanitized = MULTIWALK_SANITIZED;

/// `all` where tests are optimised, as users run the code; `few` in the debug build. Checks run both.
template <class T>
constexpr T sized(T all, T few) {
  return sanitized ? few : all;
}

}  // namespace multiwalk::test
