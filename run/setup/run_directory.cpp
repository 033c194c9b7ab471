// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/run_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string_view>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/atomic_file.hpp"
#include "run/files/command_files.hpp"
#include "run/files/partial_file.hpp"
#include "run/machine/program_ranks.hpp"
#include "run/setup/output_kinds.hpp"
#include "run/setup/run_identity.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kept_name = "sizes.json";  // its sizes are right for the next run too
constexpr std::string_view parameter_name = "parameters.toml";

std::regex names_of_files() {
  std::string names =
      R"(parameters\.toml|log\.txt|stop|sizes\.json|(steps|rungs)\.csv|report\.(html|json)|diagnostics\.hdf5)"
      R"(|checkpoint_\d+(\.part\d+)?\.mwc)";
  for (const OutputKind& kind : output_kinds()) names += "|" + std::string(kind.files);
  return std::regex("(" + names + ")(\\.partial)?");
}

/// Compares the whole name: files with similar names may belong to somebody else.
bool is_ours(const fs::path& file) {
  static const std::regex own = names_of_files();
  return std::regex_match(file.filename().string(), own);
}

bool holds_only_ours(const fs::path& directory) {
  const fs::directory_iterator files(directory);
  return std::all_of(begin(files), end(files), [](const fs::directory_entry& entry) { return is_ours(entry.path()); });
}

/// Whether the table has a row below its heading.
bool has_rows(const fs::path& table) {
  std::ifstream file(table);
  std::string heading, row;
  return std::getline(file, heading) && std::getline(file, row);
}

/// Whether the file is what a run was made for, unlike what it writes before its first step and what it wrote in part.
bool is_result(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!is_ours(file) || name.ends_with(PartialFile::suffix)) return false;
  if (name == "steps.csv" || name == "rungs.csv") return has_rows(file);
  return name != parameter_name && name != "log.txt" && name != "stop" && name != kept_name;
}

bool holds_result(const fs::path& directory) {
  const fs::directory_iterator files(directory);
  return std::any_of(begin(files), end(files),
                     [](const fs::directory_entry& entry) { return is_result(entry.path()); });
}

/// Whether parameters.toml was written by a run, not by its user.
bool has_parameters_of_run(const fs::path& directory) {
  std::ifstream file(directory / parameter_name);  // which is no input of this command
  std::string first;
  return fs::is_regular_file(directory / parameter_name) && std::getline(file, first) &&
         !run_id_of(first + "\n").empty();
}

/// Whether there are files of a run: some may have been killed before they wrote their parameters.
bool holds_run(const fs::path& directory) {
  return fs::is_directory(directory) && holds_result(directory) &&
         (fs::exists(directory / parameter_name) || holds_only_ours(directory));
}

/// Whether a run began there that left no result.
bool holds_beginning(const fs::path& directory) {
  if (has_parameters_of_run(directory)) return true;
  return !fs::exists(directory / parameter_name) && holds_only_ours(directory);
}

bool holds_checkpoint(const fs::path& directory) {
  const fs::directory_iterator files(directory);
  return std::any_of(begin(files), end(files), [](const fs::directory_entry& entry) {
    return is_ours(entry.path()) && entry.path().extension() == ".mwc";
  });
}

/// The report goes first: without the others it would still call the run finished. Links to files, or to nothing, are
/// removed and what they lead to is not touched.
void remove_run(const fs::path& directory) {
  const std::string input = input_from(directory.string(), [](const std::string& name) { return is_ours(name); });
  if (!input.empty()) {
    throw InputError(input +
                     " is read by this run, which would replace it: copy it to another folder, or give another "
                     "run.directory");
  }
  fs::remove(directory / "report.json");
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const fs::path& file = entry.path();
    const bool is_file = entry.is_regular_file() || (entry.is_symlink() && !entry.exists());
    if (is_file && is_ours(file) && file.filename() != kept_name) fs::remove(file);
  }
}

/// Files to which runs append.
bool grows(const fs::path& file) {
  return file == "log.txt" || file == "steps.csv" || file == "rungs.csv" || file.extension() == ".rows";
}

int open_directory(const std::string& directory) {
  return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace

RunDirectoryLock::RunDirectoryLock(const std::string& directory) : descriptor_(open_directory(directory)) {
  if (descriptor_ < 0 || ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(std::exchange(descriptor_, -1));
  throw InputError("the directory " + directory + " " + in_use_words + advice_on_copies());
}

RunDirectoryLock RunDirectoryLock::after_others(const std::string& directory) {
  RunDirectoryLock lock;
  lock.descriptor_ = open_directory(directory);
  while (lock.descriptor_ >= 0 && ::flock(lock.descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
  return lock;
}

RunDirectoryLock::RunDirectoryLock(RunDirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunDirectoryLock& RunDirectoryLock::operator=(RunDirectoryLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RunDirectoryLock::~RunDirectoryLock() {
  if (descriptor_ < 0) return;
  ::flock(descriptor_, LOCK_UN);  // processes forked meanwhile have copies of the descriptor
  ::close(descriptor_);
}

bool is_in_use(const std::string& directory) {
  try {
    const RunDirectoryLock lock(directory);
    return false;
  } catch (const InputError&) {
    return true;
  }
}

void require_plain_files(const std::string& directory) {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    if (!is_ours(entry.path())) continue;
    const bool missing = !entry.exists(failed);
    if (grows(entry.path().filename()) && entry.is_symlink(failed)) {
      throw InputError(entry.path().string() +
                       " is a link, and a run does not append to a file through a link: remove it");
    }
    if (!missing && !entry.is_regular_file(failed)) {
      throw InputError(entry.path().string() +
                       " has the name of a run's file but is a pipe, a device or a directory: "
                       "remove it");
    }
  }
}

void refuse_run_directory(const std::string& directory) {
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) return;
  const auto has = [&](const char* name) { return fs::exists(fs::path(directory) / name, ignored); };
  if (!has("parameters.toml") && !has("report.json") && !has("log.txt") && !holds_checkpoint(directory)) return;
  throw InputError(directory + " holds a run, whose own files would be replaced: give another directory");
}

RunDirectoryLock prepare_run_directory(const std::string& directory, ExistingRun existing) {
  try {
    if (existing == ExistingRun::restart) {
      if (!fs::is_directory(directory)) throw InputError("--restart " + directory + ": there is no such directory");
      if (!holds_beginning(directory) && !holds_run(directory) && !holds_checkpoint(directory)) {
        throw InputError("--restart " + directory + ": holds other files and no run to continue");
      }
      RunDirectoryLock lock(directory);
      require_plain_files(directory);
      fs::remove(fs::path(directory) / "stop");
      return lock;
    }
    if (fs::exists(directory) && !fs::is_directory(directory)) {
      throw InputError(directory + " is a file; give another run.directory");
    }
    fs::create_directories(directory);
    RunDirectoryLock lock(directory);  // before its files are looked at: a copy of this process may be doing the same
    const bool has_run = holds_run(directory);
    if (has_run && existing == ExistingRun::refuse) {
      throw InputError("the directory " + directory +
                       " holds a run already; use --overwrite, --restart or another run.directory" +
                       advice_on_copies());
    }
    if (!has_run && !holds_beginning(directory)) {
      throw InputError("the directory " + directory + " is not empty and holds no run; give another run.directory");
    }
    require_plain_files(directory);
    if (has_run) remove_run(directory);
    fs::remove(fs::path(directory) / "stop");
    return lock;
  } catch (const fs::filesystem_error& error) {
    throw InputError("cannot use the directory " + directory + ": " + error.code().message());
  }
}

}  // namespace multiwalk
