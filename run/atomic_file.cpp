// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/atomic_file.hpp"

#include <vector>

#include "run/partial_file.hpp"

namespace multiwalk {

void write_file_atomically(const std::string& path, std::string_view contents) {
  PartialFile file(path);
  FileDescriptor descriptor = FileDescriptor::create(file.partial_path());
  descriptor.write(contents.data(), contents.size());
  descriptor.close();
  file.commit();
}

std::string read_whole_file(const std::string& path) {
  FileDescriptor file = FileDescriptor::open(path);
  std::string bytes;
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t count = file.read(piece.data(), piece.size())) bytes.append(piece.data(), count);
  return bytes;
}

}  // namespace multiwalk
