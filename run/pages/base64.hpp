// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as text: base 64 (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace multiwalk {

std::string base64(std::string_view bytes);

}  // namespace multiwalk
