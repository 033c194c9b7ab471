// SPDX-License-Identifier: GPL-3.0-or-later
// Pages as text: the data inside them, and whether they need anything from outside.
#pragma once

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace multiwalk::test {

/// The text between the first `open` and the next `close` after it; empty without one of them.
inline std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t begin = text.find(open), end = text.find(close, begin + open.size());
  if (begin == std::string::npos || end == std::string::npos) return "";
  return text.substr(begin + open.size(), end - begin - open.size());
}

/// The data inside a page. Throws json::exception if there are none.
inline nlohmann::json page_data(const std::string& page) {
  const std::string element = between(page, R"(<script type="application/json" id="data" data-kind=")", "</script>");
  return nlohmann::json::parse(element.substr(std::min(element.size(), element.find('>') + 1)));
}

/// What is wrong with a page as one HTML document that needs nothing from elsewhere; empty: nothing. Scripts and styles
/// end where HTML ends them.
inline std::string fault_of(std::string page) {
  if (!page.starts_with("<!DOCTYPE html>\n") || !page.ends_with("</html>\n")) return "not a whole document";
  if (page.find("{{") != std::string::npos) return "a part that was not put in";
  page = std::regex_replace(page, std::regex("<!--[^>]*-->"), "");
  std::string markup;
  for (std::size_t at = 0; at < page.size();) {  // scripts and styles are text up to their end
    const std::size_t begin = std::min(page.find("<script", at), page.find("<style", at));
    if (begin == std::string::npos) {
      markup += page.substr(at);
      break;
    }
    const std::size_t inside = page.find('>', begin) + 1,
                      end = page.find(page[begin + 2] == 'c' ? "</script" : "</style", inside);
    if (end == std::string::npos) return "an open script or style";
    const std::string text = page.substr(inside, end - inside);
    for (const char* never : {"url(", "@import", "fetch(", "XMLHttpRequest", "import(", "innerHTML", "eval("}) {
      if (text.find(never) != std::string::npos && page.substr(begin, inside - begin).find("json") == std::string::npos)
        return std::string("a script or style with ") + never;
    }
    markup += page.substr(at, inside - at);
    at = end;
  }
  if (std::regex_search(markup, std::regex(R"((src|href|action|poster)\s*=|<(link|iframe|object|embed|base)\b)")))
    return "a reference";
  if (markup.find("default-src 'none'") == std::string::npos) return "no policy that forbids fetching";
  std::vector<std::string> open;
  const std::regex tag(R"(<(/?)([a-zA-Z0-9]+)(?:[^<>"]|"[^"]*")*>)");
  for (std::sregex_iterator t(markup.begin(), markup.end(), tag), end; t != end; ++t) {
    const std::string name = (*t)[2];
    if ((*t)[1].length() == 0) {
      if (name != "meta") open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "</" + name + "> where it does not belong";
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> without end";
}

}  // namespace multiwalk::test
