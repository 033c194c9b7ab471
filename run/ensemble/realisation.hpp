// SPDX-License-Identifier: GPL-3.0-or-later
// The realisations of an ensemble: seeds and, of pairs, the partner with the opposite density contrast.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace multiwalk {

struct Realisation {
  std::uint64_t seed = 0;
  bool paired = false;  ///< delta -> -delta: all phases turned by pi (Angulo & Pontzen 2016)

  auto operator<=>(const Realisation&) const = default;
  /// "seed_0007", "seed_0007_paired": its directory within that of the ensemble.
  [[nodiscard]] std::string name() const;
  /// "seed 7", "seed 7, paired".
  [[nodiscard]] std::string text() const;
};

/// The realisation of a name; none for any other text.
std::optional<Realisation> realisation_named(std::string_view name);

/// "A:B" (A <= seed < B), "7", and lists of both with commas, in their order. Throws InputError for other texts, seeds
/// that appear twice, and more than 100,000 of them.
std::vector<std::uint64_t> parse_seeds(const std::string& text);

/// One for each seed or, with partners, two.
std::vector<Realisation> realisations_of(const std::vector<std::uint64_t>& seeds, bool with_partners);

}  // namespace multiwalk
