// SPDX-License-Identifier: GPL-3.0-or-later
// toml++ without its assertions: some are wrong on faulty texts, where they stop a debug build or, as promises to the
// compiler, mislead an optimised one. The code after them reports the error.
#pragma once

#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
