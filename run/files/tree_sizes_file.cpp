// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/tree_sizes_file.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/json_input.hpp"
#include "run/files/json_output.hpp"

namespace multiwalk {

namespace {

std::string path_in(const std::string& directory) {
  return directory + "/sizes.json";
}

}  // namespace

std::optional<TreeSizes> read_tree_sizes(const std::string& directory, const std::string& found_for) {
  const std::string path = path_in(directory);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string text = read_whole_file(path);
  nlohmann::json json;
  try {
    json = parse_json(text, path);
  } catch (const InputError&) {
    return std::nullopt;
  }
  if (!json.is_object() || !json.contains("for") || json["for"] != found_for) return std::nullopt;
  const auto size = [&](const char* name) {
    return json.contains(name) && json[name].is_number_unsigned() ? json[name].get<std::uint32_t>() : 0U;
  };
  const TreeSizes sizes{size("group"), size("leaf")};
  return sizes.group > 0 && sizes.leaf > 0 ? std::optional(sizes) : std::nullopt;
}

void write_tree_sizes(const std::string& directory, const std::string& found_for, TreeSizes sizes) {
  const nlohmann::json json{{"for", found_for}, {"group", sizes.group}, {"leaf", sizes.leaf}};
  write_file_atomically(path_in(directory), json_text(json, 2) + "\n");
}

}  // namespace multiwalk
