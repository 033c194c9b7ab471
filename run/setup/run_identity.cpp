// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/setup/run_identity.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <random>

#include "host/base/error.hpp"
#include "run/snapshots/checkpoint.hpp"

namespace multiwalk {

namespace {

constexpr std::string_view run_mark = "# run ";
constexpr std::size_t digits = 16;

}  // namespace

std::string new_run_id() {
  std::random_device random;
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  return fmt::format("{:08x}{:08x}", word(), word());
}

std::string with_run_id(const std::string& id, const std::string& toml) {
  return id.empty() ? toml : fmt::format("{}{}\n{}", run_mark, id, toml);
}

std::string run_id_of(std::string_view toml) {
  if (!toml.starts_with(run_mark) || toml.find('\n') != run_mark.size() + digits) return "";
  return std::string(toml.substr(run_mark.size(), digits));
}

void require_one_run(const std::string& directory, const std::string& id) {
  std::string expected = id, by = "parameters.toml";
  for (const std::string& path : checkpoints_in(directory)) {
    std::string found;
    try {
      found = run_id_of(checkpoint_parameters(path));
    } catch (const InputError&) {
      continue;
    }
    if (found.empty()) continue;
    if (expected.empty()) {
      expected = found;
      by = path;
    } else if (found != expected) {
      throw InputError(
          fmt::format("--restart {}: {} belongs to another run (number {}) than {} ({}): move the file of the other "
                      "run out of the directory",
                      directory, path, found, by, expected));
    }
  }
}

}  // namespace multiwalk
