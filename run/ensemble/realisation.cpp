// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/ensemble/realisation.hpp"

#include <fmt/format.h>

#include <set>

#include "host/base/error.hpp"
#include "host/text/plain_number.hpp"

namespace multiwalk {

namespace {

constexpr std::size_t most_seeds = 100000;
constexpr std::uint64_t largest_seed = 9'200'000'000'000'000'000;  // as model.seed
constexpr std::string_view seed_prefix = "seed_", partner_suffix = "_paired";

/// The number, if the text is nothing else.
std::optional<std::uint64_t> seed_from(std::string_view text) {
  const auto value = number_in<std::uint64_t>(text);
  return value && *value <= largest_seed ? value : std::nullopt;
}

/// [first, last) of "A:B" or "A".
std::pair<std::uint64_t, std::uint64_t> seed_range(std::string_view part, const std::string& all) {
  const std::size_t colon = part.find(':');
  const auto first = seed_from(part.substr(0, colon));
  if (colon == std::string_view::npos && first) return {*first, *first + 1};
  const auto last = colon == std::string_view::npos ? std::nullopt : seed_from(part.substr(colon + 1));
  if (!first || !last) {
    throw InputError(
        fmt::format("--seeds {}: \"{}\" is not a seed; write 0:50 for the seeds 0 to 49, or a list 1,2,7", all, part));
  }
  if (*first >= *last) {
    throw InputError(fmt::format("--seeds {}: {} contains no seed: A:B are the seeds from A to B - 1", all, part));
  }
  return {*first, *last};
}

}  // namespace

std::string Realisation::name() const {
  return fmt::format("{}{:04}{}", seed_prefix, seed, paired ? partner_suffix : "");
}

std::string Realisation::text() const {
  return fmt::format("seed {}{}", seed, paired ? ", paired" : "");
}

std::optional<Realisation> realisation_named(std::string_view name) {
  if (!name.starts_with(seed_prefix)) return std::nullopt;
  const bool paired = name.ends_with(partner_suffix);
  std::string_view digits = name.substr(seed_prefix.size());
  if (paired) digits.remove_suffix(std::min(digits.size(), partner_suffix.size()));
  const auto seed = seed_from(digits);
  if (!seed) return std::nullopt;
  const Realisation found{*seed, paired};
  return found.name() == name ? std::optional(found) : std::nullopt;
}

std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  std::vector<std::uint64_t> seeds;
  std::set<std::uint64_t> known;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto [first, last] = seed_range(std::string_view(text).substr(begin, end - begin), text);
    if (last - first > most_seeds || seeds.size() + (last - first) > most_seeds) {
      throw InputError(fmt::format("--seeds {}: more than {} seeds", text, most_seeds));
    }
    for (std::uint64_t seed = first; seed < last; ++seed) {
      if (!known.insert(seed).second) throw InputError(fmt::format("--seeds {}: seed {} appears twice", text, seed));
      seeds.push_back(seed);
    }
    begin = end + 1;
  }
  return seeds;
}

std::vector<Realisation> realisations_of(const std::vector<std::uint64_t>& seeds, bool with_partners) {
  std::vector<Realisation> all;
  for (const std::uint64_t seed : seeds) {
    all.push_back({seed, false});
    if (with_partners) all.push_back({seed, true});
  }
  return all;
}

}  // namespace multiwalk
