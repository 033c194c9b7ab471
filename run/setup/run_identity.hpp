// SPDX-License-Identifier: GPL-3.0-or-later
// A number drawn for every new run, written before the parameters of its directory and of its checkpoints: two runs of
// the same parameters are two.
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

/// 16 hexadecimal digits, at random.
std::string new_run_id();

/// `toml` behind a comment that names the run; as it is if `id` is empty.
std::string with_run_id(const std::string& id, const std::string& toml);

/// What with_run_id put before the parameters; empty: nothing, as by older versions.
std::string run_id_of(std::string_view toml);

/// Throws InputError if a checkpoint in the directory names another run than `id`, or, if that is empty, than another
/// checkpoint there does. Checkpoints that cannot be read, or that name none, pass.
void require_one_run(const std::string& directory, const std::string& id);

}  // namespace multiwalk
