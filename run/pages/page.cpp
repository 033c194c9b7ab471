// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/pages/page.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_output.hpp"
#include "run/pages/page_files.hpp"

namespace multiwalk {

namespace {

constexpr std::array<const char*, 7> kind_names{"report", "power", "halos", "profile", "ensemble", "sky", "trees"};

/// Scripts that pages of one kind alone need: others are smaller without them.
constexpr std::array<std::pair<std::string_view, PageKind>, 4> scripts_of_one_kind{
    {{"script/matrix.js", PageKind::ensemble},
     {"script/ensemble.js", PageKind::ensemble},
     {"script/sky.js", PageKind::sky},
     {"script/trees.js", PageKind::trees}}};

bool is_needed(std::string_view name, PageKind kind) {
  return std::ranges::all_of(scripts_of_one_kind,
                             [&](const auto& script) { return script.first != name || script.second == kind; });
}

std::string part_of_page(const std::string& name) {
  if (const char* folder = std::getenv("MULTIWALK_PAGES"); folder != nullptr && *folder != '\0') {
    return read_whole_file(std::string(folder) + "/" + name);
  }
  const auto found = std::ranges::find(page_files(), name, &PageFile::name);
  if (found == page_files().end()) throw InputError("page.html: there is no " + name + " to put in");
  return std::string(found->text);
}

/// The text with `{{name}}` replaced by replacement(name) everywhere; replacements are not searched.
template <class Replacement>
std::string filled(std::string_view text, Replacement replacement) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find("{{"), end = text.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return out.append(text);
    out.append(text.substr(0, begin)).append(replacement(std::string(text.substr(begin + 2, end - begin - 2))));
    text.remove_prefix(end + 2);
  }
}

}  // namespace

std::string script_json(const nlohmann::json& data) {
  std::string out;
  for (const char c : json_text(data)) {
    if (c == '<') {  // occurs only in texts: neither </script> nor <!-- can appear
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string page(PageKind kind, const nlohmann::json& data) {
  return filled(part_of_page("page.html"), [&](const std::string& name) {
    if (name == "kind") return std::string(kind_names.at(static_cast<std::size_t>(kind)));
    if (name == "data") return script_json(data);
    return is_needed(name, kind) ? part_of_page(name) : std::string();
  });
}

}  // namespace multiwalk
