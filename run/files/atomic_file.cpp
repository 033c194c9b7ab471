// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/atomic_file.hpp"

#include "run/files/partial_file.hpp"
#include "run/files/plain_file.hpp"

namespace multiwalk {

void write_file_atomically(const std::string& path, std::string_view contents) {
  PartialFile file(path);
  FileDescriptor descriptor = FileDescriptor::create(file.partial_path());
  descriptor.write(contents.data(), contents.size());
  descriptor.close();
  file.commit();
}

std::string read_whole_file(const std::string& path) {
  const PlainFile file(path);
  std::string bytes(file.size(), '\0');
  file.read(0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace multiwalk
