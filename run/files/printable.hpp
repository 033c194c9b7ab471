// SPDX-License-Identifier: GPL-3.0-or-later
// Text for a terminal or a log: names of files, and text that others wrote, may contain anything.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace multiwalk {

/// Length of the UTF-8 character with which `text` (not empty) begins; 0 if it does not begin with one.
std::size_t utf8_length(std::string_view text);

/// Whether a character may be sent to a terminal: it is not a control character of ASCII or of U+0080 to U+009F.
bool is_harmless(std::string_view character);

/// Calls put(byte) for every byte of the text on one line, with control characters and bytes that are not UTF-8 written
/// as \n or \x1b. Allocates no memory.
template <class Put>
void put_printable(std::string_view text, Put put) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text), taken = length == 0 ? 1 : length;
    const std::string_view character = text.substr(0, taken);
    text.remove_prefix(taken);
    const bool harmless = length > 0 && is_harmless(character);
    for (const char byte : character) {
      if (harmless) {
        put(byte);
      } else if (byte == '\n') {
        put('\\');
        put('n');
      } else {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto value = static_cast<std::uint8_t>(byte);
        put('\\');
        put('x');
        put(digits[value >> 4]);
        put(digits[value & 15]);
      }
    }
  }
}

std::string printable(std::string_view text);

/// Writes "multiwalk: " and both texts as one line to standard error. Allocates no memory.
void tell_on_stderr(std::string_view first, std::string_view second = {});

/// Writes a warning there, unless `text` is empty.
void warn_on_stderr(std::string_view text);

}  // namespace multiwalk
