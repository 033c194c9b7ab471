// SPDX-License-Identifier: GPL-3.0-or-later
// The table of all outputs: a new one is a class and a row.
#pragma once

#include <span>

#include "run/outputs/output.hpp"

namespace multiwalk {

/// In the order in which they write.
std::span<const OutputKind> output_kinds();

}  // namespace multiwalk
