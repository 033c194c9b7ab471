// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/files/partial_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "host/base/error.hpp"
#include "run/files/command_files.hpp"

namespace multiwalk {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw Error("cannot " + what + " " + path + ": " + std::strerror(errno));
}

void sync_to_disk(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("open", path);
  const int status = ::fsync(descriptor);
  const int saved = errno;
  ::close(descriptor);
  errno = saved;
  if (status != 0) fail("write to disk", path);
}

/// Makes the names of files in a folder last. Some file systems cannot, and need not, do that for folders.
void sync_folder(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int status = descriptor < 0 ? -1 : ::fsync(descriptor);
  const int saved = errno;
  if (descriptor >= 0) ::close(descriptor);
  errno = saved;
  const bool unknown_there = saved == EINVAL || saved == ENOTSUP || saved == ENOSYS;
  const bool cannot_be_listed = descriptor < 0 && saved == EACCES;
  if (status != 0 && !unknown_there && !cannot_be_listed) fail("write to disk", path);
}

/// A device or a pipe: written to, not replaced.
bool is_special(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

/// A link or a pipe under the name of a file under construction was not made by us, and a file that has another name,
/// too, may belong to others: writing there would write elsewhere or wait.
void remove_unless_own(const std::string& partial) {
  struct stat status {};
  if (::lstat(partial.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return;
  if (!S_ISREG(status.st_mode) || status.st_nlink > 1) ::unlink(partial.c_str());
}

/// A file that has further names, such as a backup made of hard links, must not grow under these: its own name gets a
/// copy.
void keep_from_other_names(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink == 1) return;
  PartialFile own(path);
  std::error_code failed;
  fs::copy_file(path, own.partial_path(), fs::copy_options::overwrite_existing, failed);
  if (failed) throw Error("cannot copy " + path + ": " + failed.message());
  own.commit();
}

/// Starts to move the last `bytes` written from memory to disk, so that the sync at the end has less to wait for. What
/// cannot be done is left to that sync.
void begin_sync(int descriptor, off_t bytes) {
  const off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  if (end >= bytes) ::sync_file_range(descriptor, end - bytes, bytes, SYNC_FILE_RANGE_WRITE);
}

}  // namespace

void require_file_name(const std::string& path) {
  std::error_code ignored;
  if (path.empty()) throw InputError("the name of a file to write is empty");
  if (path.back() == '/' || fs::is_directory(path, ignored)) {
    throw InputError(path + " is a directory; give the name of a file");
  }
}

PartialFile::PartialFile(const std::string& path) : path_(path), partial_(path_) {
  require_file_name(path_);
  if (is_special(path_)) return;
  refuse_input(path_);
  partial_ += suffix;
  refuse_input(partial_);
  remove_unless_own(partial_);
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : path_(std::move(other.path_)), partial_(std::exchange(other.partial_, {})) {}

PartialFile::~PartialFile() {
  if (partial_.empty() || in_place()) return;
  // A library that failed to close the file must not hold its space.
  if (::truncate(partial_.c_str(), 0) == 0 || errno != ENOENT) ::unlink(partial_.c_str());
}

void PartialFile::commit() {
  if (in_place()) return;
  refuse_input(path_);
  sync_to_disk(partial_);
  if (::rename(partial_.c_str(), path_.c_str()) != 0) fail("rename to", path_);
  partial_.clear();
  const fs::path directory = fs::path(path_).parent_path();
  sync_folder(directory.empty() ? "." : directory.string());
}

void PartialFile::sync() const {
  if (in_place()) return;
  sync_to_disk(partial_);
}

void PartialFile::reserve() const {
  if (in_place()) return;
  const int descriptor = ::open(partial_.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) fail("open", partial_);
  const off_t bytes = ::lseek(descriptor, 0, SEEK_END);
  const int status = bytes > 0 ? ::fallocate(descriptor, 0, 0, bytes) : 0;
  const int saved = errno;
  ::close(descriptor);
  errno = saved;
  if (status != 0 && errno != EOPNOTSUPP && errno != ENOSYS) fail("reserve disk space for", partial_);
}

FileDescriptor FileDescriptor::create(const std::string& path) {
  const int links = path.ends_with(PartialFile::suffix) ? O_NOFOLLOW : 0;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | links, 0666);
  if (descriptor < 0) fail("create", path);
  return {descriptor, path};
}

FileDescriptor FileDescriptor::create_or_open(const std::string& path) {
  refuse_input(path);
  keep_from_other_names(path);
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor < 0 && errno == ELOOP) throw Error(path + " is a link, through which a run does not write: remove it");
  if (descriptor < 0) fail("open", path);
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return {descriptor, path};
  ::close(descriptor);
  throw Error("cannot write " + path + ": it is not an ordinary file");
}

FileDescriptor FileDescriptor::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail("open", path);
  return {descriptor, path};
}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void FileDescriptor::write(const void* data, std::size_t bytes) {
  const char* next = static_cast<const char*>(data);
  constexpr std::size_t most = std::size_t{1} << 26;
  while (bytes > 0) {
    const ssize_t written = ::write(descriptor_, next, std::min(bytes, most));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path_);
    if (static_cast<std::size_t>(written) == most) begin_sync(descriptor_, written);
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void FileDescriptor::write_at(std::uint64_t place, const void* data, std::size_t bytes) const {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(descriptor_, next, bytes, static_cast<off_t>(place));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path_);
    next += written;
    place += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
}

void FileDescriptor::cut(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("cut", path_);
}

void FileDescriptor::sync() {
  if (::fsync(descriptor_) != 0) fail("write to disk", path_);
}

void FileDescriptor::close() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("write", path_);
}

}  // namespace multiwalk
