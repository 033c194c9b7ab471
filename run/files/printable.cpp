// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/printable.hpp"

namespace multiwalk {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xbf) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool is_harmless(std::string_view character) {
  const auto first = static_cast<std::uint8_t>(character[0]);
  if (character.size() == 1) return first >= 0x20 && first < 0x7f;
  return !(first == 0xc2 && static_cast<std::uint8_t>(character[1]) < 0xa0);
}

std::string printable(std::string_view text) {
  std::string line;
  put_printable(text, [&](char byte) { line += byte; });
  return line;
}

void tell_on_stderr(std::string_view first, std::string_view second) {
  std::fputs("multiwalk: ", stderr);
  for (const std::string_view text : {first, second}) {
    put_printable(text, [](char byte) { std::fputc(byte, stderr); });
  }
  std::fputc('\n', stderr);
}

void warn_on_stderr(std::string_view text) {
  if (!text.empty()) tell_on_stderr("WARNING: ", text);
}

}  // namespace multiwalk
