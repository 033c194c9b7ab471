#include "run/run_directory.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "host/base/error.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kept_name = "sizes.json";  // what it tells holds for the next run too
constexpr std::array<std::string_view, 10> own_names{"parameters.toml",  "report.", "snapshot_", "image_",
                                                     "checkpoint_",      "log.txt", "stop",      "initial_conditions",
                                                     "diagnostics.hdf5", kept_name};

bool is_ours(const fs::path& file) {
  const std::string name = file.filename().string();
  for (std::string_view own : own_names) {
    if (name.rfind(own, 0) == 0) return true;
  }
  return false;
}

/// Nothing but a run's own files, and some of them: a run may have been killed before it wrote its parameters.
bool holds_run(const fs::path& directory) {
  if (!fs::is_directory(directory)) return false;
  if (fs::exists(directory / "parameters.toml")) return true;
  const fs::directory_iterator files(directory);
  return !fs::is_empty(directory) &&
         std::all_of(begin(files), end(files), [](const fs::directory_entry& entry) { return is_ours(entry.path()); });
}

void remove_run(const fs::path& directory) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const fs::path& file = entry.path();
    if (entry.is_regular_file() && is_ours(file) && file.filename() != kept_name) fs::remove(file);
  }
}

}  // namespace

void prepare_run_directory(const std::string& directory, ExistingRun existing) {
  try {
    if (existing == ExistingRun::restart) {
      if (!fs::is_directory(directory)) throw InputError("--restart " + directory + ": there is no such directory");
      fs::remove(fs::path(directory) / "stop");
      return;
    }
    if (fs::exists(directory) && !fs::is_directory(directory)) {
      throw InputError(directory + " is a file; give another run.directory");
    }
    const bool has_run = holds_run(directory);
    if (has_run && existing == ExistingRun::refuse) {
      throw InputError("the directory " + directory +
                       " holds a run already; use --overwrite, --restart or another run.directory");
    }
    if (!has_run && fs::is_directory(directory) && !fs::is_empty(directory)) {
      throw InputError("the directory " + directory + " is not empty and not a run; give another run.directory");
    }
    fs::create_directories(directory);
    if (has_run) remove_run(directory);
  } catch (const fs::filesystem_error& error) {
    throw InputError("cannot use the directory " + directory + ": " + error.code().message());
  }
}

}  // namespace multiwalk
