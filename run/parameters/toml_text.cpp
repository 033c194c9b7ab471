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

/// Where in a token a letter beyond ASCII is outside strings and comments, or follows a backslash and white space in a
/// multi-line string; npos if there is none.
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

constexpr std::string_view mark = "\xef\xbb\xbf";  // of UTF-8, which may come first

/// The line, from 1, of the first stray letter in a text that is TOML but for such letters; 0 if there is none.
std::ptrdiff_t line_of_stray_letter(std::string_view text) {
  for (std::size_t at = text.starts_with(mark) ? mark.size() : 0, end = 0; at < text.size(); at = end) {
    end = end_of_token(text, at);
    const std::size_t stray = stray_letter(text.substr(at, end - at));
    if (stray != text.npos) return 1 + lines_in(text.substr(0, at + stray));
  }
  return 0;
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

toml::table parse_toml(const std::string& text, const std::string& name) {
  if (std::ranges::none_of(text, beyond_ascii)) return toml::parse(text, name);
  // Faults are found in a text without such letters, as toml++'s behaviour is undefined where a letter is none of the
  // white space that it expects: after faulty values, and in the places that stray_letter knows.
  std::string ascii = text;
  std::ranges::replace_if(ascii, beyond_ascii, '_');
  if (text.starts_with(mark)) ascii.replace(0, mark.size(), mark);
  (void)toml::parse(ascii, name);
  if (const std::ptrdiff_t line = line_of_stray_letter(text)) {
    throw InputError(
        fmt::format("{}:{}: a letter that is not ASCII stands outside strings and comments, or after a backslash "
                    "that continues a line: quote it, or write it as \\uXXXX",
                    name, line));
  }
  return toml::parse(text, name);
}

}  // namespace multiwalk
