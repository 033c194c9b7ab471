// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/parameters/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

constexpr int most_parts = 32, most_brackets = 32;

/// The end of the multi-line string that begins at `at`; up to two quotes may precede its closing three.
std::size_t end_of_long_string(std::string_view text, std::size_t at) {
  const std::string_view quotes = text.substr(at, 3);
  for (at += 3; at < text.size() && text.substr(at, 3) != quotes; ++at) {
    if (quotes[0] == '"' && text[at] == '\\') ++at;
  }
  at = std::min(at + 3, text.size());
  for (int more = 0; more < 2 && at < text.size() && text[at] == quotes[0]; ++more) ++at;
  return at;
}

/// The end of the string that begins at `at`; the end of its line if it is not closed.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  if (text.substr(at, 3) == std::string(3, quote)) return end_of_long_string(text, at);
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == quote) return at + 1;
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

/// The end of the unit that begins at `at`: a string, a comment, or one character.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  if (text[at] == '"' || text[at] == '\'') return end_of_string(text, at);
  if (text[at] == '#') return std::min(text.find('\n', at), text.size());
  return at + 1;
}

std::ptrdiff_t lines_in(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

bool beyond_ascii(char letter) {
  return static_cast<unsigned char>(letter) >= 0x80;
}

/// Where in a token, as end_of_token finds them, a stray letter is; npos if there is none.
std::size_t stray_letter(std::string_view token) {
  if (beyond_ascii(token[0])) return 0;
  if (!token.starts_with("\"\"\"")) return token.npos;
  for (std::size_t at = token.find('\\'), next = 0; at < token.size(); at = token.find('\\', next)) {
    next = token.find_first_not_of(" \t\r\n", at + 1);
    if (next < token.size() && beyond_ascii(token[next])) return next;
    if (next == at + 1) ++next;  // what it escapes may be a backslash
  }
  return token.npos;
}

}  // namespace

void refuse_deep_toml(std::string_view text, const std::string& name) {
  int brackets = 0, parts = 1;  // parts: of the current key, or of a number with its decimal point
  std::ptrdiff_t line = 1;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = end_of_token(text, at);
    const char first = text[at];
    if (first == '[' || first == '{') ++brackets;
    if (first == ']' || first == '}') brackets = std::max(0, brackets - 1);
    if (first == '.') ++parts;
    if (std::string_view("[]{},=#\n").find(first) != std::string_view::npos) parts = 1;
    if (parts > most_parts)
      throw InputError(fmt::format("{}:{}: a key has more than {} parts", name, line, most_parts));
    if (brackets > most_brackets) {
      throw InputError(fmt::format("{}:{}: brackets are nested more than {} deep", name, line, most_brackets));
    }
    line += lines_in(text.substr(at, end - at));
  }
}

std::ptrdiff_t line_of_stray_letter(std::string_view text) {
  const std::string_view mark = "\xef\xbb\xbf";
  for (std::size_t at = text.starts_with(mark) ? mark.size() : 0, end = 0; at < text.size(); at = end) {
    end = end_of_token(text, at);
    const std::size_t stray = stray_letter(text.substr(at, end - at));
    if (stray != text.npos) return 1 + lines_in(text.substr(0, at + stray));
  }
  return 0;
}

}  // namespace multiwalk
