// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/commands/options/file_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "host/base/error.hpp"
#include "run/files/command_files.hpp"
#include "run/files/printable.hpp"

namespace multiwalk {

namespace {

/// Endings that promise a format to whoever opens the file.
constexpr std::array<std::string_view, 27> known_endings{
    ".csv", ".json", ".html", ".htm", ".hdf5", ".h5",  ".png", ".jpg", ".jpeg", ".gif", ".svg",  ".pdf", ".ps",  ".eps",
    ".tif", ".tiff", ".webp", ".bmp", ".mp4",  ".avi", ".mov", ".mkv", ".webm", ".mpg", ".fits", ".npy", ".toml"};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// For transform(): `act` changes the text or throws InputError.
template <class Act>
CLI::Validator changed_by(Act act) {
  return {[act](std::string& text) -> std::string {
            try {
              text = act(text);
              return "";
            } catch (const InputError& error) {
              return error.what();
            }
          },
          ""};
}

}  // namespace

std::string output_of(const std::string& path, const std::string& option, NameEndings endings) {
  if (path == "-") return path;
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  const bool promised = std::ranges::find(known_endings, ending) != known_endings.end();
  if (!endings.empty() && promised && std::ranges::find(endings, ending) == endings.end()) {
    throw InputError(
        fmt::format("{} {}: the file will be of another kind than its name says; use a name that ends in {}", option,
                    printable(path), fmt::join(endings, ", ")));
  }
  return named_output(path, option);
}

CLI::Option* add_output(CLI::App& command, const std::string& names, std::string& path, const std::string& help,
                        NameEndings endings) {
  const std::string option = names.substr(0, names.find(','));
  const auto checked = [option, endings](const std::string& text) { return output_of(text, option, endings); };
  return command.add_option(names, path, help)->transform(changed_by(checked));
}

CLI::Option* add_json_output(CLI::App& command, std::string& path) {
  return add_output(command, "--json", path, "write the figures to this file (- for standard output)", json_names);
}

CLI::Option* add_power_table(CLI::App& command, std::string& path, const std::string& help) {
  const auto noted = [](const std::string& text) {
    note_input(text);
    return text;
  };
  return command.add_option("--transfer", path, help)->transform(changed_by(noted));
}

}  // namespace multiwalk
