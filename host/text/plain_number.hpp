// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers from text and as text, with a point in every locale: the C library follows that of a process which is not
// ours.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace multiwalk {

/// The number that the whole text is; nothing if it is none or beyond the type. Whole numbers have no sign +.
template <class T = double>
std::optional<T> number_in(std::string_view text) {
  if (!std::integral<T> && text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Six significant digits.
inline std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 6).ptr;
  return {text.data(), end};
}

}  // namespace multiwalk
