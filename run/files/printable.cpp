// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/printable.hpp"

namespace multiwalk {

namespace {

/// Characters that begin with the bytes first...last: their second byte is within least...most, and they have `length`
/// bytes (The Unicode Standard, table 3-7).
struct Utf8Row {
  std::uint8_t first, last, least, most;
  std::size_t length;
};
constexpr Utf8Row utf8_rows[]{{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                              {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                              {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto is_within = [&](std::size_t i, std::uint8_t least, std::uint8_t most) {
    const auto byte = static_cast<std::uint8_t>(i < text.size() ? text[i] : 0);
    return byte >= least && byte <= most;
  };
  for (const Utf8Row& row : utf8_rows) {
    if (!is_within(0, row.first, row.last)) continue;
    bool whole = row.length == 1 || is_within(1, row.least, row.most);
    for (std::size_t i = 2; i < row.length; ++i) whole = whole && is_within(i, 0x80, 0xbf);
    return whole ? row.length : 0;
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
