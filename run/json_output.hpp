// Machine-readable results of a command.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace multiwalk {

/// Writes `json` to `path` (aside, then renamed); "-" is standard output, empty does nothing.
void write_json(const std::string& path, const nlohmann::json& json);

/// Writes bytes under a temporary name beside `path`, fsyncs and renames. Throws InputError naming the file.
void write_file_atomically(const std::string& path, const void* bytes, std::size_t size);

}  // namespace multiwalk
