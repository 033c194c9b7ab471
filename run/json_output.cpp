#include "run/json_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "host/base/error.hpp"

namespace multiwalk {

namespace {

bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

void write_file_atomically(const std::string& path, const void* bytes, std::size_t size) {
  const std::string aside = path + ".partial";
  const auto fail = [&](const char* what) {
    const int error = errno;
    ::unlink(aside.c_str());
    throw InputError(std::string("cannot ") + what + " " + path + ": " + std::strerror(error));
  };
  const int file = ::open(aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail("create");
  const bool complete = write_all(file, static_cast<const char*>(bytes), size) && ::fsync(file) == 0;
  if (::close(file) != 0 || !complete) fail("write");
  if (std::rename(aside.c_str(), path.c_str()) != 0) fail("rename to");
}

void write_json(const std::string& path, const nlohmann::json& json) {
  if (path.empty()) return;
  const std::string text = json.dump(2) + "\n";
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_file_atomically(path, text.data(), text.size());
  }
}

}  // namespace multiwalk
