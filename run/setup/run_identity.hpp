// SPDX-License-Identifier: GPL-3.0-or-later
// A random number drawn for every new run and written before the parameters in its directory and its checkpoints, so
// that two runs with the same parameters can be distinguished.
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

/// 16 hexadecimal digits, at random.
std::string new_run_id();

/// `toml` after a comment that names the run; unchanged if `id` is empty.
std::string with_run_id(const std::string& id, const std::string& toml);

/// The number that with_run_id put before the parameters; empty if there is none, as in files of older versions.
std::string run_id_of(std::string_view toml);

/// Throws InputError if a checkpoint in the directory names another run than `id` or, if `id` is empty, if two
/// checkpoints name different runs. Checkpoints that cannot be read or name no run pass.
void require_one_run(const std::string& directory, const std::string& id);

}  // namespace multiwalk
