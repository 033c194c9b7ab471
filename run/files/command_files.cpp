// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/command_files.hpp"

#include <sys/stat.h>

#include <compare>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"
#include "run/files/printable.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

/// A file itself, whatever its names.
struct Identity {
  dev_t device;
  ino_t number;
  auto operator<=>(const Identity&) const = default;
};

std::optional<Identity> identity_of(const std::string& path, bool follow = true) {
  struct stat status {};
  if ((follow ? ::stat : ::lstat)(path.c_str(), &status) != 0) return std::nullopt;
  return Identity{status.st_dev, status.st_ino};
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Absolute and without . and .., so that two names of a file that does not exist yet are the same.
std::string full_name(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path, failed), failed);
  return failed ? path : whole.string();
}

struct CommandFiles {
  std::mutex mutex;
  bool remembered = false;
  std::map<Identity, std::string> inputs;
  std::map<std::string, std::string> outputs;  ///< full names of files by option
  std::set<std::string> own_directories;       ///< full names

  /// The path by which this file was read. A file that has since been removed or replaced may have left its number to
  /// another.
  [[nodiscard]] const std::string* input(const std::optional<Identity>& file) const {
    if (!file) return nullptr;
    const auto found = inputs.find(*file);
    return found != inputs.end() && identity_of(found->second) == file ? &found->second : nullptr;
  }
};

CommandFiles& files() {
  static CommandFiles files;
  return files;
}

[[noreturn]] void refuse(const std::string& input, const std::string& output) {
  const std::string other = full_name(input) == full_name(output) ? "" : " (as " + printable(input) + ")";
  throw InputError(printable(output) + " is the input of this command" + other + ": give the output another name");
}

/// The target of symbolic links, unless it is a device or a pipe.
std::string target_of(const std::string& path) {
  constexpr int most_links = 40;
  std::error_code ignored;
  fs::path target = path;
  for (int link = 0; link < most_links && fs::is_symlink(target, ignored); ++link) {
    if (fs::exists(target, ignored) && !fs::is_regular_file(target, ignored)) return path;
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target.string();
}

}  // namespace

RememberedFiles::RememberedFiles() {
  const std::lock_guard lock(files().mutex);
  files().remembered = true;
}

RememberedFiles::~RememberedFiles() {
  const std::lock_guard lock(files().mutex);
  files().remembered = false;
  files().inputs.clear();
  files().outputs.clear();
  files().own_directories.clear();
}

void note_input(const std::string& path) {
  const std::lock_guard lock(files().mutex);
  if (!files().remembered) return;
  const std::optional<Identity> file = identity_of(path);
  if (!file || files().own_directories.contains(full_name(folder_of(path)))) return;
  for (const auto& [option, output] : files().outputs) {
    if (identity_of(output) == file || identity_of(output + std::string(PartialFile::suffix)) == file)
      refuse(path, output);
  }
  files().inputs.insert_or_assign(*file, path);
}

std::string named_output(const std::string& path, const std::string& option) {
  require_file_name(path);
  const std::string target = target_of(path), whole = full_name(target);
  const std::lock_guard lock(files().mutex);
  if (!files().remembered) return target;
  const std::optional<Identity> file = identity_of(target);
  if (file && fs::is_regular_file(target)) {
    if (const std::string* const input = files().input(file)) refuse(*input, target);
  }
  for (const auto& [other, output] : files().outputs) {
    const bool same = output == whole || (file && identity_of(output) == file);
    if (other != option && same && (!file || fs::is_regular_file(target)))
      throw InputError(other + " and " + option + " name the same file, " + printable(path) + ": give each its own");
  }
  files().outputs.insert_or_assign(option, whole);
  return target;
}

void refuse_input(const std::string& path) {
  const std::lock_guard lock(files().mutex);
  if (files().inputs.empty()) return;
  if (const std::string* const input = files().input(identity_of(path, false))) refuse(*input, path);
}

void own_directory(const std::string& directory) {
  const std::lock_guard lock(files().mutex);
  const std::string folder = full_name(directory);
  files().own_directories.insert(folder);
  std::erase_if(files().inputs, [&](const auto& input) { return full_name(folder_of(input.second)) == folder; });
}

std::string input_from(const std::string& directory, const std::function<bool(const std::string& name)>& is_meant) {
  const std::lock_guard lock(files().mutex);
  const std::string folder = full_name(directory);
  for (const auto& [file, path] : files().inputs) {
    const bool here = full_name(folder_of(path)) == folder;
    if (here && is_meant(fs::path(path).filename().string()) && files().input(file) != nullptr) return path;
  }
  return "";
}

}  // namespace multiwalk
