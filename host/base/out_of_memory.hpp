// SPDX-License-Identifier: GPL-3.0-or-later
// Lack of memory, with the size of what did not fit. Allocates nothing itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <new>

namespace multiwalk {

class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::size_t bytes) noexcept {
    constexpr double mib = 1 << 20;
    std::snprintf(text_.data(), text_.size(), "out of memory: there is no room for an array of %.4g MiB",
                  static_cast<double>(bytes) / mib);
  }
  [[nodiscard]] const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 80> text_{};
};

/// One line for the user.
inline std::array<char, 160> lack_text(const std::bad_alloc& lack) noexcept {
  std::array<char, 160> line{};
  const auto* const known = dynamic_cast<const OutOfMemory*>(&lack);
  std::snprintf(line.data(), line.size(), "%s; `multiwalk plan` estimates how much a run needs",
                known != nullptr ? known->what() : "out of memory");
  return line;
}

}  // namespace multiwalk
