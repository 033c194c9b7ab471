// SPDX-License-Identifier: GPL-3.0-or-later
// The mark with which some editors begin a text in UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// `line`: the first of a text.
inline void remove_byte_order_mark(std::string& line) {
  if (line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
}

}  // namespace multiwalk
