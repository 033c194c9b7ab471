// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/command_files.hpp"

namespace multiwalk {

namespace {

int open_to_read(const std::string& path) {
  note_input(path);
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

PlainFile::PlainFile(const std::string& path) : path_(path), descriptor_(open_to_read(path)) {
  if (descriptor_ < 0) throw InputError(path + ": cannot be opened: " + std::strerror(errno));
  struct stat status {};
  const bool plain = ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (plain) return;
  ::close(descriptor_);
  throw InputError(path + ": is not an ordinary file");
}

PlainFile::PlainFile(PlainFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

PlainFile::~PlainFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PlainFile::read(std::uint64_t from, void* data, std::size_t bytes) const {
  char* next = static_cast<char*>(data);
  constexpr std::size_t most = std::size_t{1} << 30;
  while (bytes > 0) {
    const ssize_t got = ::pread(descriptor_, next, std::min(bytes, most), static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(path_ + ": cannot be read: " + std::strerror(errno));
    if (got == 0) throw InputError(path_ + ": is shorter than it was");
    next += got;
    from += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

}  // namespace multiwalk
