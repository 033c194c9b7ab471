// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/formats/file_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string first_of_set(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  std::vector<std::string> candidates;
  for (const std::string_view extension : {".hdf5", ".h5"}) {
    if (path.ends_with(extension))
      candidates.push_back(fmt::format("{}.0{}", path.substr(0, path.size() - extension.size()), extension));
  }
  for (const std::string_view end : {".0.hdf5", ".0.h5", ".0", ".hdf5", ".h5"})
    candidates.push_back(path + std::string(end));
  const auto found = std::ranges::find_if(
      candidates, [&](const std::string& candidate) { return std::filesystem::is_regular_file(candidate, ignored); });
  return found == candidates.end() ? path : *found;
}

std::vector<std::string> files_of_set(const std::string& named, int files) {
  const std::string path = first_of_set(named);
  if (files == 1) return {path};
  const std::size_t last = path.rfind('.');
  const std::size_t number = last == std::string::npos || last == 0 ? std::string::npos : path.rfind('.', last - 1);
  std::string stem, extension;
  if (last != std::string::npos && is_number(std::string_view(path).substr(last + 1))) {
    stem = path.substr(0, last);
  } else if (number != std::string::npos && is_number(std::string_view(path).substr(number + 1, last - number - 1))) {
    stem = path.substr(0, number);
    extension = path.substr(last);
  } else {
    throw InputError(fmt::format(
        "{}: is one of {} files, but its name has no number at its end or before the extension", path, files));
  }
  std::vector<std::string> paths;
  for (int k = 0; k < files; ++k) paths.push_back(fmt::format("{}.{}{}", stem, k, extension));
  return paths;
}

}  // namespace multiwalk
