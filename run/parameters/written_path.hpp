// SPDX-License-Identifier: GPL-3.0-or-later
// Paths as people write them where no shell reads them.
#pragma once

#include <string>

namespace multiwalk {

/// The path with ~ at its beginning and $NAME or ${NAME} anywhere replaced by the environment's. Throws InputError if
/// such a variable is not set, and for any other use of $ and for ~USER: a folder of that name would be made.
std::string expanded_path(const std::string& path);

}  // namespace multiwalk
