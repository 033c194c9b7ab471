// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/atomic_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/base/error.hpp"
#include "run/files/partial_file.hpp"

namespace multiwalk {

void write_file_atomically(const std::string& path, std::string_view contents) {
  PartialFile file(path);
  FileDescriptor descriptor = FileDescriptor::create(file.partial_path());
  descriptor.write(contents.data(), contents.size());
  descriptor.close();
  file.commit();
}

std::string read_whole_file(const std::string& path) {
  if (!std::filesystem::exists(path)) throw InputError(path + ": there is no such file");
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw InputError(path + ": cannot be opened for reading");
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) throw InputError(path + ": cannot be read to its end");
  return bytes;
}

}  // namespace multiwalk
