// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/driver/tree_sizes_file.hpp"

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
  const nlohmann::json json = read_json(path);
  return values_from(path, [&]() -> std::optional<TreeSizes> {
    if (!is_sealed(json)) throw InputError(path + " is damaged or of another version of the program");
    if (json.at("for") != found_for) return std::nullopt;
    const auto size = [&](const char* name) {
      const std::uint64_t value = whole_number(json.at(name));
      if (value == 0 || value > TreeSizes::most) throw InputError(path + " holds impossible sizes");
      return static_cast<std::uint32_t>(value);
    };
    return TreeSizes{size("group"), size("leaf")};
  });
}

void write_tree_sizes(const std::string& directory, const std::string& found_for, TreeSizes sizes) {
  const nlohmann::json json{{"for", found_for}, {"group", sizes.group}, {"leaf", sizes.leaf}};
  write_file_atomically(path_in(directory), json_text(sealed(json), 2) + "\n");
}

}  // namespace multiwalk
