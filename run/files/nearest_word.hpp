// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the word that a misspelling was meant to be.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace multiwalk {

/// Letters inserted, deleted, replaced or exchanged with their neighbour that turn `a` into `b` (optimal string
/// alignment: Damerau 1964). Only the first 100 bytes are compared.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Whether `word` may be a misspelling of `meant`: one slip, or one per four letters of the longer word.
bool is_near(std::string_view word, std::string_view meant);

/// The first of the nearest words; empty if none is near.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> words);

}  // namespace multiwalk
