// SPDX-License-Identifier: GPL-3.0-or-later
// Text for a terminal or a log: names of files, and what others wrote, may hold anything.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace multiwalk {

/// Length of the UTF-8 character with which `text`, which is not empty, begins; 0 if it begins with none.
std::size_t utf8_length(std::string_view text);

/// Whether a terminal may get this character: it is no control character, neither of ASCII nor of U+0080 to U+009F.
bool is_harmless(std::string_view character);

/// Calls put(byte) for every byte of the text on one line: control characters and bytes that are not UTF-8 as \n or
/// \x1b. Asks for no memory.
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

/// "multiwalk: " and both texts as one line on standard error. Asks for no memory.
void tell_on_stderr(std::string_view first, std::string_view second = {});

/// A warning there, unless `text` is empty.
void warn_on_stderr(std::string_view text);

}  // namespace multiwalk
